import { stringify } from 'yaml';
import type { AgentSettings } from '../flags/agent-settings.js';

/** Output of the command. */
export interface VerifyOutput {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Exit status by verdict. */
export const EXIT_STATUS = { verified: 0, different: 1, unknown: 2 } as const;
/** Exit status when no agent answers, or nothing is programmed. */
export const NO_AGENT = 3;

/** A result in the format of `--output`. */
export function formatResult<Result>(
  result: Result,
  output: AgentSettings['output'],
  asText: (result: Result) => string,
): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(result, undefined, 2)}\n`;
    case 'yaml':
      return stringify(result);
    default:
      return asText(result);
  }
}
