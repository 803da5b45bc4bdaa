import { type FSWatcher, watch } from 'node:fs';

/** A running watch on a directory. */
export interface DirectoryWatch {
  /** No callbacks after it returns. Idempotent. */
  close(): void;
}

/**
 * Calls `onChange` when something in the directory may have changed, and `onError` at most once, when the watch has
 * ended on its own. Does not keep the process alive.
 *
 * @throws the system error when it cannot watch (`ENOSPC`: too many watches).
 */
export type WatchDirectory = (path: string, onChange: () => void, onError: (error: unknown) => void) => DirectoryWatch;

/** By inotify, where the platform supports it. */
export const watchDirectory: WatchDirectory = (path, onChange, onError) => {
  let watcher: FSWatcher | undefined = watch(path, { persistent: false });
  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  watcher.on('change', () => {
    if (watcher) {
      onChange();
    }
  });
  watcher.on('error', (error) => {
    if (watcher) {
      close();
      onError(error);
    }
  });
  return { close };
};
