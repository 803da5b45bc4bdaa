import { access, constants } from 'node:fs/promises';
import { systemPath } from './run-command.js';

/** Full path of a command as {@link runCommand} would find it; undefined when it is not installed. */
export async function findTool(name: string): Promise<string | undefined> {
  for (const directory of systemPath().split(':')) {
    try {
      await access(`${directory}/${name}`, constants.X_OK);
      return `${directory}/${name}`;
    } catch {
      // Perhaps in the next one.
    }
  }
  return undefined;
}
