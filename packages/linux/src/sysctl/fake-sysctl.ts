import { checkedName, type Sysctl, SysctlError, sameValue } from './sysctl.js';

/** Kernel settings in memory: the settings passed to the constructor exist, others do not. */
export class FakeSysctl implements Sysctl {
  readonly #values: Map<string, string>;
  readonly #readOnly: ReadonlySet<string>;
  /** Settings that were written, in order, with their values; settings that already had the value are not included. */
  readonly writes: (readonly [name: string, value: string])[] = [];

  constructor(values: Readonly<Record<string, number | string>>, readOnly: readonly string[] = []) {
    this.#values = new Map(Object.entries(values).map(([name, value]) => [name, `${value}`]));
    this.#readOnly = new Set(readOnly);
  }

  async read(name: string): Promise<string> {
    const value = this.#values.get(checkedName(name));
    if (value === undefined) {
      throw new SysctlError('SYSCTL_ABSENT', name, `sysctl ${name} does not exist`);
    }
    return value;
  }

  async write(name: string, value: number | string): Promise<boolean> {
    const present = await this.read(name);
    if (sameValue(present, `${value}`)) {
      return false;
    }
    if (this.#readOnly.has(name)) {
      throw new SysctlError('SYSCTL_READ_ONLY', name, `sysctl ${name} is read-only`);
    }
    // The kernel formats numbers.
    if (/^\d+$/.test(present) && !/^-?\d+$/.test(`${value}`)) {
      throw new SysctlError('SYSCTL_INVALID', name, `sysctl ${name} cannot be set to ${value}`);
    }
    this.#values.set(name, `${value}`);
    this.writes.push([name, `${value}`]);
    return true;
  }
}
