import type { KernelFiles } from '@kube-proxier/linux';

/** Settings of a kernel that has every one that is asked for. */
export function fakeFiles(
  values: Readonly<Record<string, string>> = {},
): KernelFiles & { readonly written: Map<string, string> } {
  const written = new Map(Object.entries(values));
  return {
    written,
    read: async (path) => written.get(path) ?? '0\n',
    write: async (path, text) => {
      written.set(path, text);
    },
  };
}
