/**
 * An adapter that records which of its methods are called.
 *
 * @param calls receives the name of each call, prefixed with `name` and a full stop.
 */
export function recordCalls<T extends object>(target: T, name: string, calls: Set<string>): T {
  return new Proxy(target, {
    get: (object, property) => {
      const value: unknown = Reflect.get(object, property, object);
      return typeof value !== 'function'
        ? value
        : (...args: readonly unknown[]) => {
            calls.add(`${name}.${String(property)}`);
            return Reflect.apply(value, object, args);
          };
    },
  });
}
