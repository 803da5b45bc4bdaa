const YAML_1_1_BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
]);

/**
 * What a text means that is a boolean in YAML 1.1, which kubectl and kube-proxy read: `yes`, `no`, `on`, `off`, `y` and `n`. Parsers of
 * YAML 1.2 leave them texts.
 *
 * @returns undefined for everything else, also for `true` and `false`.
 */
export function yamlBoolean(value: unknown): boolean | undefined {
  return YAML_1_1_BOOLEANS.get(value);
}
