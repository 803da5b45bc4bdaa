import { createHash } from 'node:crypto';
import { readFileSync, type StatWatcher, unwatchFile, watchFile } from 'node:fs';
import { type Logger, messageOf } from '@kube-proxier/core';

/** Milliseconds between two polls of the file. */
const INTERVAL = 2000;

/** Result of reading the changed file. */
export type ConfigurationJudgement =
  /** The effective configuration is unchanged. */
  | { readonly kind: 'same' }
  /** The effective configuration changed, and is valid. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

export interface ConfigurationWatchOptions {
  readonly path: string;
  /** Parses and validates the content as at the start. */
  readonly judge: (text: string) => ConfigurationJudgement;
  /** Called once, when the effective configuration has changed. */
  readonly onChange: () => void;
  /** Called for each invalid content, and without problems when valid content without effect follows. */
  readonly onProblems: (problems: readonly string[]) => void;
  readonly logger: Logger;
  /** Milliseconds between two polls. Default 2000. */
  readonly interval?: number;
}

/**
 * Detects changes of a configuration file (spec C-29). Unlike kube-proxy, it follows symbolic links, so that the update
 * of a mounted ConfigMap is detected (spec B-21). A file that was only touched or reformatted causes no restart; neither
 * does an invalid one, which is reported.
 */
export class ConfigurationWatch {
  #watcher: StatWatcher | undefined;
  #seen: string;

  constructor(
    private readonly options: ConfigurationWatchOptions,
    text: string,
  ) {
    this.#seen = digest(text);
  }

  start(): void {
    const { path, interval = INTERVAL } = this.options;
    this.#watcher = watchFile(path, { persistent: false, interval }, this.#poll);
    // It may have changed since it was read.
    this.#poll();
  }

  stop(): void {
    if (this.#watcher) {
      this.#watcher = undefined;
      unwatchFile(this.options.path, this.#poll);
    }
  }

  readonly #poll = (): void => {
    const { path, judge, onChange, onProblems, logger } = this.options;
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      // Swapped or deleted: the last configuration stays in force.
      logger.debug(2, 'Cannot read the configuration file', { path, reason: messageOf(error) });
      return;
    }
    const content = digest(text);
    if (content === this.#seen) {
      return;
    }
    this.#seen = content;
    const judgement = judge(text);
    if (judgement.kind === 'changed') {
      this.stop();
      onChange();
    } else if (judgement.kind === 'wrong') {
      onProblems(judgement.problems);
    } else {
      onProblems([]);
      logger.info('The configuration file was rewritten without an effective change', { path });
    }
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
