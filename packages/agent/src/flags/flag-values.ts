import { assertNever, type ParsedCIDR, parseCIDR, printable } from '@kube-proxier/core';
import { type ConfigurationReading, fieldOf } from '../configuration/kube-proxy-configuration.js';
import type { CommandLine } from './command-line.js';
import { FLAGS, type FlagName } from './flag.js';
import type { Flag } from './flag-definition.js';
import { parseGoBool, parseGoDuration, parseGoFloat, parseGoInt } from './go-values.js';

/** Parses values of flags by type. Problems are collected, so that all are reported together. */
export class FlagValues {
  readonly problems: string[];

  /** @param configuration origin of values that are not from the command line, for messages. */
  constructor(
    readonly commandLine: CommandLine,
    readonly configuration?: ConfigurationReading,
  ) {
    this.problems = [...commandLine.errors, ...(configuration?.problems ?? [])];
  }

  /** Whether it is set, on the command line or in the file. */
  given(name: FlagName): boolean {
    return this.commandLine.values.has(name);
  }

  /**
   * Warnings about values that have an effect in kube-proxy but not here. Their types are still validated.
   */
  unused(): readonly string[] {
    const warnings: string[] = [];
    for (const flag of FLAGS as readonly Flag[]) {
      const name = flag.name as FlagName;
      if (flag.unused === undefined || !this.given(name)) {
        continue;
      }
      const same = this.#hasDefault(flag, name);
      if (!same) {
        warnings.push(`${this.place(name)}: has no effect: ${flag.unused}`);
      }
    }
    return warnings;
  }

  #hasDefault(flag: Flag, name: FlagName): boolean {
    switch (flag.type) {
      case 'bool':
        return this.bool(name) === parseGoBool(flag.default ?? 'false');
      case 'int':
        return this.int(name, 0, 2_147_483_647, 'a whole number from 0') === Number(flag.default);
      case 'float':
        return this.float(name) === Number(flag.default);
      case 'duration':
        return this.duration(name) === parseGoDuration(flag.default ?? '0');
      case 'text':
      case 'list':
        return this.text(name) === flag.default;
      default:
        return assertNever(flag.type);
    }
  }

  cidrs(name: FlagName, items: readonly string[]): readonly ParsedCIDR[] {
    return items.flatMap((item) => {
      const cidr = parseCIDR(item);
      if (!cidr) {
        this.wrong(name, item, 'is not a network; write it like 10.0.0.0/8 or fd00::/64');
      }
      return cidr ?? [];
    });
  }

  list(name: FlagName): readonly string[] {
    const values = this.commandLine.values.get(name) ?? [];
    return values.flatMap((value) => value.split(',')).flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  }

  /** The value of each use of the flag, without splitting at commas. */
  each(name: FlagName): readonly string[] {
    return this.commandLine.values.get(name) ?? [];
  }

  bool(name: FlagName): boolean {
    const text = this.text(name);
    const value = parseGoBool(text);
    if (value === undefined) {
      this.wrong(name, text, 'must be true or false');
    }
    return value ?? false;
  }

  int(name: FlagName, least: number, most: number, right: string): number {
    const text = this.text(name);
    const value = parseGoInt(text);
    if (value === undefined || value < least || value > most) {
      this.wrong(name, text, `must be ${right}`);
    }
    return value ?? 0;
  }

  float(name: FlagName): number | undefined {
    const text = this.text(name);
    const value = parseGoFloat(text);
    if (value === undefined) {
      this.wrong(name, text, 'must be a number, such as 5, 0.5 or -1');
    }
    return value;
  }

  duration(name: FlagName): number | undefined {
    const text = this.text(name);
    const value = parseGoDuration(text);
    if (value === undefined) {
      this.wrong(name, text, 'is not a duration; write it like 500ms, 30s or 1m30s');
    }
    return value;
  }

  /** The last value given, or the default. */
  text(name: FlagName): string {
    const flag = FLAGS.find((candidate) => candidate.name === name);
    return this.commandLine.values.get(name)?.at(-1) ?? (flag && 'default' in flag ? flag.default : '');
  }

  /** The origin of a value, for messages: the flag, or the line or the field of the file. */
  place(name: FlagName): string {
    const { configuration } = this;
    const field = configuration && !this.given(name) ? fieldOf(name) : undefined;
    return configuration?.places.get(name) ?? (field === undefined ? `--${name}` : `${configuration?.file}: ${field}`);
  }

  wrong(name: FlagName, value: string, right: string): void {
    this.problems.push(`${this.place(name)}: "${printable(value, 120)}" ${right}`);
  }
}
