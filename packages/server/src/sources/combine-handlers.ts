import { type Logger, messageOf, type SourceHandler } from '@kube-proxier/core';

/**
 * Returns a handler that calls `first` and then `others`, in order; these may implement only some methods. An error of
 * one of `others` is logged and reported to `onFailure`; an error of the first is rethrown after all were called.
 */
export function combineHandlers(
  first: SourceHandler,
  others: readonly Partial<SourceHandler>[],
  logger: Logger,
  onFailure: () => void = () => {},
): SourceHandler {
  if (others.length === 0) {
    return first;
  }
  const each = (what: string, call: (handler: Partial<SourceHandler>) => void) => {
    try {
      call(first);
    } finally {
      for (const other of others) {
        try {
          call(other);
        } catch (error) {
          logger.error(`A handler failed in "${what}": ${messageOf(error)}`, { error });
          onFailure();
        }
      }
    }
  };
  return {
    onServiceUpdate: (...event) => each('onServiceUpdate', (handler) => handler.onServiceUpdate?.(...event)),
    onEndpointsUpdate: (...event) => each('onEndpointsUpdate', (handler) => handler.onEndpointsUpdate?.(...event)),
    onServicesSynced: () => each('onServicesSynced', (handler) => handler.onServicesSynced?.()),
    onEndpointsSynced: () => each('onEndpointsSynced', (handler) => handler.onEndpointsSynced?.()),
    onNodeUpdate: (node) => each('onNodeUpdate', (handler) => handler.onNodeUpdate?.(node)),
    onServiceCIDRsUpdate: (cidrs) => each('onServiceCIDRsUpdate', (handler) => handler.onServiceCIDRsUpdate?.(cidrs)),
  };
}
