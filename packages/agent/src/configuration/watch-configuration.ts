import { createHash } from 'node:crypto';
import { readFileSync, type StatWatcher, unwatchFile, watchFile } from 'node:fs';
import { type Logger, messageOf } from '@kube-proxier/core';

/** Milliseconds between two looks at the file. */
const INTERVAL = 2000;

/** What reading the file anew came to. */
export type ConfigurationJudgement =
  /** It means what it meant. */
  | { readonly kind: 'same' }
  /** It means something else, and is good. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

export interface ConfigurationWatchOptions {
  readonly path: string;
  /** Reads and checks the content as at the start. */
  readonly judge: (text: string) => ConfigurationJudgement;
  /** Called once, when what the file says has changed. */
  readonly onChange: () => void;
  /** Called for each content that cannot be used. */
  readonly onProblems: (problems: readonly string[]) => void;
  readonly logger: Logger;
  /** Milliseconds between two looks. Default 2000. */
  readonly interval?: number;
}

/**
 * Notices that a configuration file says something else (spec C-29). Unlike kube-proxy, it looks at what the path leads
 * to, so that the swap of a symbolic link in a mounted ConfigMap counts (spec B-21); a file that was only touched, or
 * written in other words, is no reason to disturb anything; and neither is one that cannot be used, which is told.
 */
export class ConfigurationWatch {
  private watcher: StatWatcher | undefined;
  private seen: string;

  constructor(
    private readonly options: ConfigurationWatchOptions,
    text: string,
  ) {
    this.seen = digest(text);
  }

  start(): void {
    const { path, interval = INTERVAL } = this.options;
    this.watcher = watchFile(path, { persistent: false, interval }, this.look);
    // It may have changed since it was read.
    this.look();
  }

  stop(): void {
    if (this.watcher) {
      this.watcher = undefined;
      unwatchFile(this.options.path, this.look);
    }
  }

  private readonly look = (): void => {
    const { path, judge, onChange, onProblems, logger } = this.options;
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      // In the middle of a swap, or gone: what was read stays in force.
      logger.debug(2, 'The configuration file cannot be read now', { path, reason: messageOf(error) });
      return;
    }
    const content = digest(text);
    if (content === this.seen) {
      return;
    }
    this.seen = content;
    const judgement = judge(text);
    if (judgement.kind === 'changed') {
      this.stop();
      onChange();
    } else if (judgement.kind === 'wrong') {
      onProblems(judgement.problems);
    } else {
      logger.info('The configuration file was written anew and means the same', { path });
    }
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
