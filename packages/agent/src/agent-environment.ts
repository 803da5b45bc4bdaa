import type { Logger } from '@kube-proxier/core';
import type { Composition } from './compose.js';
import type { AgentSettings } from './flags/agent-settings.js';
import type { AdjustableLogger } from './logging/stream-logger.js';
import type { ProcessPhases } from './running/settling.js';
import type { ProgressLine } from './terminal/progress-line.js';
import type { TextStyle } from './terminal/text-style.js';

/** Environment of the command. */
export interface AgentEnvironment {
  readonly composition: Composition;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /**
   * Writes bytes to standard output. Resolves when more may be written; rejects when it is closed. Default: commands that
   * print bytes fail.
   */
  readonly write?: (data: Uint8Array) => Promise<void>;
  /** Writes to standard error. */
  readonly printError: (text: string) => void;
  /** Columns of the terminal at standard output. Default: not a terminal. */
  readonly columns?: number;
  /** Colours of standard output. Default: none. */
  readonly style?: TextStyle;
  /** Shows long-running work at standard error. Default: nothing. */
  readonly progress?: ProgressLine;
  /** The logger may support changing its verbosity later. */
  readonly createLogger: (logging: AgentSettings['logging']) => Logger | AdjustableLogger;
  /** Aborts to end the agent. */
  readonly signal: AbortSignal;
  /** Notified of the phases of a start. Default: none. */
  readonly phases?: ProcessPhases;
}
