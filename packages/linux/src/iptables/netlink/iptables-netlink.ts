import { EventLoopPace, finishWithPauses, type IPFamily } from '@kube-proxier/core';
import { NetlinkError } from '../../netlink/netlink-error.js';
import type { NetlinkSocketOptions } from '../../netlink/open-socket.js';
import { MessageWriter } from '../../nftables/netlink/message-writer.js';
import { type NftBatchOutcome, NftSocket } from '../../nftables/netlink/nft-socket.js';
import { encodeIptablesSection } from './encode-iptables-section.js';

/** Maximum size in bytes of a buffer that is reused. */
const KEPT = 65_536;

/**
 * Writes documents of `iptables-restore --noflush` into the tables of the nft variant by netlink, without the program,
 * which searches its list of chains for each line. Calls must not overlap.
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
   * Writes sections of a document, each in one transaction, until one is not supported, is refused, or has an unknown
   * outcome: answers of the kernel may be lost when it refuses many rules. Writing a section again is harmless, because
   * it declares every chain that it changes.
   *
   * @param start position in the document.
   * @returns the position of the first section that is not known to be in force; the length of the document when all are.
   */
  async write(document: string, start: number): Promise<number> {
    const progress = { end: start };
    try {
      await this.#write(document, progress);
    } catch (error) {
      if (!(error instanceof NetlinkError)) {
        throw error;
      }
      this.#isUnavailable = error.code === 'NETLINK_UNAVAILABLE';
      this.close();
    } finally {
      this.#writers = [smallOrNew(this.#writers[0]), smallOrNew(this.#writers[1])];
    }
    return progress.end;
  }

  /** @param progress `end`: the position after the last section that is known to be in force. */
  async #write(document: string, progress: { end: number }): Promise<void> {
    this.#socket ??= new NftSocket(this.options);
    const pace = new EventLoopPace();
    let sent: { readonly end: number; readonly outcome: Promise<NftBatchOutcome> } | undefined;
    for (let at = progress.end; at < document.length || sent !== undefined; ) {
      // The kernel processes one section while the next is encoded.
      const [writer, other] = this.#writers;
      const encoding = finishWithPauses(encodeIptablesSection(document, at, this.family, writer), pace);
      const section = encoding instanceof Promise ? await settledWith(encoding, sent?.outcome) : encoding;
      if (sent !== undefined) {
        if ((await sent.outcome).errors.length > 0) {
          return;
        }
        progress.end = sent.end;
        sent = undefined;
      }
      if (section === undefined) {
        return;
      }
      this.#writers = [other, writer];
      sent = { end: section.end, outcome: this.#socket.send(section) };
      at = section.end;
    }
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
