import { describe, expect, jest, test } from '@jest/globals';
import { type Clock, silentLogger } from '@kube-proxier/core';
import {
  type ConnectionTrackingModel,
  runCount,
  runSimulation,
  SIMULATED_NODE_ADDRESSES,
  type SimulatedFlow,
} from '@kube-proxier/core/testing';
import { type Conntrack, type ConntrackEntry, deleteListed } from '@kube-proxier/linux';
import { ConntrackCleaner } from './conntrack-cleaner.js';

const SEEDS = runCount(10, 100);

/** Translations that the kernel was requested to delete. */
let translated = 0;

/** The model, as an implementation of the conntrack interface: of a kernel with or without filters by translation. */
function conntrackOf(tracking: ConnectionTrackingModel, findsTranslated: boolean): Conntrack {
  const entryOf = (flow: SimulatedFlow): ConntrackEntry => ({ ...flow, zone: 0 });
  const listAndDelete: Pick<Conntrack, 'list' | 'delete'> = {
    list: async (family, protocol, wanted = () => true) =>
      tracking.flows
        .filter((flow) => flow.family === family && flow.protocol === protocol)
        .map(entryOf)
        .filter(wanted),
    delete: async (entries) => entries.filter((entry) => tracking.delete(entry)).length,
  };
  return {
    ...listAndDelete,
    deleteMatching: (family, protocol, groupOf) => deleteListed(listAndDelete, family, protocol, groupOf),
    ...(findsTranslated
      ? {
          deleteTranslated: async (family, protocol, translations) => {
            translated += translations.length;
            return tracking.flows
              .filter(
                (flow) =>
                  flow.family === family &&
                  flow.protocol === protocol &&
                  translations.some(
                    (one) =>
                      flow.original.destination === one.destination &&
                      flow.original.destinationPort === one.destinationPort &&
                      flow.reply.source === one.source &&
                      flow.reply.sourcePort === one.sourcePort,
                  ),
              )
              .filter((flow) => tracking.delete(entryOf(flow))).length;
          },
        }
      : {}),
  };
}

const flowCleaner =
  (findsTranslated: boolean) =>
  (tracking: ConnectionTrackingModel, clock: Clock): ConntrackCleaner => {
    const localAddresses = async () => Object.values(SIMULATED_NODE_ADDRESSES);
    return new ConntrackCleaner(conntrackOf(tracking, findsTranslated), silentLogger, localAddresses, clock);
  };

/** @param most maximum number. */
async function failures(
  seeds: number,
  steps: number,
  { findsTranslated = false, most = seeds }: { readonly findsTranslated?: boolean; readonly most?: number } = {},
): Promise<string[]> {
  const found: string[] = [];
  for (let seed = 1; seed <= seeds && found.length < most; seed += 1) {
    const { failure } = await runSimulation({ seed, steps, flowCleaner: flowCleaner(findsTranslated) });
    if (failure !== undefined) {
      found.push(`seed ${seed}: ${failure}`);
    }
  }
  return found;
}

describe('UDP flows of clients that never stop', () => {
  test(`lead only to current endpoints after a sync, in ${SEEDS} simulations of 300 steps`, async () => {
    expect(await failures(SEEDS, 300)).toEqual([]);
  });

  test('also when the kernel deletes them by translation', async () => {
    translated = 0;
    expect(await failures(SEEDS, 300, { findsTranslated: true })).toEqual([]);
    expect(translated).toBeGreaterThan(SEEDS);
  });

  test('are many', async () => {
    const { flows } = await runSimulation({ seed: 7, steps: 300, flowCleaner: flowCleaner(false) });
    expect(flows).toBeGreaterThan(20);
  });

  // Deliberately broken, to show that the simulation detects it.
  test('are found stale when the cleaner receives only rendered changes', async () => {
    const original = ConntrackCleaner.prototype.synced;
    const spy = jest.spyOn(ConntrackCleaner.prototype, 'synced').mockImplementation(function (
      this: ConntrackCleaner,
      success,
    ) {
      const { changes } = success;
      return original.call(this, { ...success, changes: { ...changes, resolvedServicePorts: changes.servicePorts } });
    });
    expect(await failures(20, 300, { most: 1 })).not.toEqual([]);
    spy.mockRestore();
  });
});
