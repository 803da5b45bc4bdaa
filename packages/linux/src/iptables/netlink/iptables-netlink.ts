import { EventLoopPace, finishWithPauses, type IPFamily } from '@kube-proxier/core';
import { NetlinkError } from '../../netlink/netlink-error.js';
import type { NetlinkSocketOptions } from '../../netlink/open-socket.js';
import { MessageWriter } from '../../nftables/netlink/message-writer.js';
import { type NftBatchOutcome, NftSocket } from '../../nftables/netlink/nft-socket.js';
import { IptablesError } from '../iptables-error.js';
import { encodeIptablesSection } from './encode-iptables-section.js';

/** Maximum size in bytes of a buffer that is reused. */
const KEPT = 65_536;

/**
 * Writes documents of `iptables-restore --noflush` into the tables of the nft variant by netlink, without the program,
 * which reads all chains before it writes: its run time grows with their number. Calls must not overlap.
 */
export class IptablesNetlink {
  #socket: NftSocket | undefined;
  #isUnavailable = false;
  #writers: [MessageWriter, MessageWriter] = [new MessageWriter(), new MessageWriter()];

  constructor(
    private readonly family: IPFamily,
    private readonly options: NetlinkSocketOptions = {},
  ) {}

  /** Whether netlink cannot be used in this process. */
  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  /**
   * Writes sections of a document, each in one transaction, until one is not supported or refused; nothing of that
   * section is written.
   *
   * @param start position in the document.
   * @returns the position of the section that was not written; the length of the document when all were.
   * @throws IptablesError `IPTABLES_FAILED` when the outcome of a section is unknown.
   */
  async write(document: string, start: number): Promise<number> {
    try {
      return await this.#write(document, start);
    } catch (error) {
      if (!(error instanceof NetlinkError)) {
        throw error;
      }
      this.close();
      if (error.code === 'NETLINK_UNAVAILABLE') {
        this.#isUnavailable = true;
        return start;
      }
      throw new IptablesError(
        'IPTABLES_FAILED',
        `it is not known whether the kernel carried out a change of ${this.family} rules: ${error.message}; the next sync reads the rules`,
        { cause: error },
      );
    } finally {
      this.#writers = [smallOrNew(this.#writers[0]), smallOrNew(this.#writers[1])];
    }
  }

  async #write(document: string, start: number): Promise<number> {
    this.#socket ??= new NftSocket({ ...this.options, inBackground: true });
    const pace = new EventLoopPace();
    let sent: { readonly start: number; readonly outcome: NftBatchOutcome | Promise<NftBatchOutcome> } | undefined;
    let at = start;
    while (at < document.length) {
      // The kernel processes one section while the next is encoded.
      const [writer, other] = this.#writers;
      const encoding = finishWithPauses(encodeIptablesSection(document, at, this.family, writer), pace);
      const section = encoding instanceof Promise ? await settledWith(encoding, sent?.outcome) : encoding;
      if (sent !== undefined && (await sent.outcome).errors.length > 0) {
        return sent.start;
      }
      if (section === undefined) {
        return at;
      }
      this.#writers = [other, writer];
      sent = { start: at, outcome: this.#socket.send(section) };
      at = section.end;
    }
    return sent !== undefined && (await sent.outcome).errors.length > 0 ? sent.start : document.length;
  }

  /** A later call reopens it. Idempotent. */
  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }
}

/** Waits for the first promise; the caller handles a failure of the second. */
async function settledWith<Result>(first: Promise<Result>, second: unknown): Promise<Result> {
  await Promise.allSettled([second]);
  return first;
}

function smallOrNew(writer: MessageWriter): MessageWriter {
  return writer.capacity > KEPT ? new MessageWriter() : writer;
}
