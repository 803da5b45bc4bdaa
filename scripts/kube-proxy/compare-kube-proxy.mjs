#!/usr/bin/env node
/**
 * `KUBE_PROXY=PATH npm run compare-kube-proxy`: a kube-proxy and kube-proxier on equal nodes, with the same random objects of
 * one fake API server. After each random change, the same packets are sent in both sandboxes, and the health checks are asked.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf, PrepareError, prepare, runScript } from '../prepare.mjs';

const USAGE = `KUBE_PROXY=PATH npm run compare-kube-proxy -- [--mode MODE] [--seed N] [--count K] [--rounds M] [--minutes T]

Compares kube-proxier with a kube-proxy, the program PATH, on random Services and EndpointSlices, with real packets. A
difference is repeated by its seed, and printed as the few objects that show it. Needs root.

  --mode MODE   iptables or nftables                          (default nftables)
  --seed N      first seed                                    (default 1)
  --count K     runs, with seeds N, N+1…                      (default 1)
  --rounds M    random changes of each run                    (default 20)
  --minutes T   begins no further run after so many minutes   (default: no limit)
`;

const AGENT = fileURLToPath(new URL('../../packages/agent/bin/kube-proxier.js', import.meta.url));

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        mode: { type: 'string', default: 'nftables' },
        seed: { type: 'string', default: '1' },
        count: { type: 'string', default: '1' },
        rounds: { type: 'string', default: '20' },
        minutes: { type: 'string', default: '1000000' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { mode, help = false } = values;
    if (mode !== 'iptables' && mode !== 'nftables') {
      throw new PrepareError(`--mode ${mode} is not iptables or nftables`);
    }
    const whole = (/** @type {'seed' | 'count' | 'rounds' | 'minutes'} */ name) => {
      const number = Number(values[name]);
      if (!Number.isSafeInteger(number) || number < 0) {
        throw new PrepareError(`--${name} ${values[name]} is not a whole number`);
      }
      return number;
    };
    return {
      mode: /** @type {'iptables' | 'nftables'} */ (mode),
      help,
      ...{ seed: whole('seed'), count: whole('count'), rounds: whole('rounds'), minutes: whole('minutes') },
    };
  } catch (error) {
    throw new PrepareError(`${messageOf(error)}\n\n${USAGE}`, { cause: error });
  }
}

await runScript(async () => {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const program = process.env.KUBE_PROXY ?? '';
  if (!existsSync(program)) {
    throw new PrepareError(
      `KUBE_PROXY is ${program === '' ? 'not set' : `${program}, which does not exist`}\n\n${USAGE}`,
    );
  }
  prepare();
  const { Comparison } = await import('./comparison.mjs');
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    // Sandboxes are removed when the process exits.
    process.on(signal, () => process.exit(1));
  }
  const began = performance.now();
  const totals = { runs: 0, states: 0, flows: 0, healthChecks: 0, differences: 0 };
  /** @type {Map<string, number>} */
  const known = new Map();
  for (let seed = options.seed; seed < options.seed + options.count; seed += 1) {
    if (performance.now() - began > options.minutes * 60_000) {
      break;
    }
    const comparison = new Comparison({ ...options, seed, program, agent: AGENT });
    const result = await comparison.run();
    totals.runs += 1;
    totals.states += result.states;
    totals.flows += result.flows;
    totals.healthChecks += result.healthChecks;
    totals.differences += result.differences;
    for (const [id, count] of result.known) {
      known.set(id, (known.get(id) ?? 0) + count);
    }
  }
  process.stdout.write(
    `mode ${options.mode}, ${totals.runs} runs from seed ${options.seed}, ${options.rounds} rounds each: ` +
      `${totals.states} states, ${totals.flows} flows and ${totals.healthChecks} health checks compared, ` +
      `${totals.differences} runs with an unknown difference, ${((performance.now() - began) / 1000).toFixed(0)} s\n` +
      [...known].map(([id, count]) => `  known difference ${id}: ${count} flows\n`).join(''),
  );
  return totals.differences === 0 ? 0 : 1;
});
