#!/usr/bin/env node
// Runs core's deterministic simulation: npm run simulate -- --seed N --steps M [--count K]
import { parseArgs } from 'node:util';
import { messageOf } from './prepare.mjs';

const USAGE = `npm run simulate -- [--seed N] [--steps M] [--count K]

Runs the proxier against a cluster that changes at random under a virtual clock, with failures and restarts, and checks
that what is installed when it is quiet is what a fresh start would install. A failure is repeated by its seed.

  --seed N   first seed                (default 1)
  --steps M  steps of each run         (default 300)
  --count K  runs, with seeds N, N+1…  (default 1)
`;

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  process.stderr.write(`simulate: ${message}\n\n${USAGE}`);
  process.exit(2);
}

/**
 * @param {string} name of the flag
 * @param {string} value
 * @param {number} least
 */
function whole(name, value, least) {
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= least ? number : fail(`--${name} ${value} is not a whole number`);
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        steps: { type: 'string', default: '300' },
        count: { type: 'string', default: '1' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    return values;
  } catch (error) {
    return fail(messageOf(error));
  }
}

async function loadSimulation() {
  try {
    return await import('../packages/core/dist/testing/index.js');
  } catch (error) {
    return fail(`cannot load the built core (${messageOf(error)}); run npm run build first`);
  }
}

const values = readFlags();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const seed = whole('seed', values.seed, 0);
const steps = whole('steps', values.steps, 1);
const count = whole('count', values.count, 1);

const { runSimulation } = await loadSimulation();
let transactions = 0;
let restarts = 0;
const began = Date.now();
for (let current = seed; current < seed + count; current += 1) {
  const result = await runSimulation({ seed: current, steps });
  transactions += result.transactions;
  restarts += result.restarts;
  if (result.failure !== undefined) {
    process.stdout.write(`seed ${current}, ${steps} steps: FAILED\n${result.failure}\n`);
    process.stdout.write(`repeat it with: npm run simulate -- --seed ${current} --steps ${steps}\n`);
    process.exit(1);
  }
}
const seconds = ((Date.now() - began) / 1000).toFixed(1);
process.stdout.write(
  `${count} simulations of ${steps} steps from seed ${seed}: all well (${transactions} transactions, ${restarts} restarts, ${seconds} s)\n`,
);
