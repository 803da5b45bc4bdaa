/**
 * Arguments that run a command as the user nobody, without privileges. It may still read all files, as the clone may be in a private
 * directory.
 */
export const NOBODY: readonly string[] = [
  ...['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
  ...['--bounding-set', '--inh-caps', '--ambient-caps'].map((option) => `${option}=-all,+dac_read_search`),
];
