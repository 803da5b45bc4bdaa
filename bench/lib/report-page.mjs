import { KUBE_PROXY } from './kube-proxy-figures.mjs';
import { describeMachine } from './machine.mjs';
import { renderPlot } from './plot.mjs';
import { formatQuantity, rowsOf } from './report.mjs';

/**
 * @typedef {import('./plot.mjs').Plot} Plot
 * @typedef {import('./plot.mjs').Series} Series
 * @typedef {import('./report.mjs').Figure} Figure
 * @typedef {import('./report.mjs').Unit} Unit
 * @typedef {import('./results.mjs').Result} Result
 */

/** What is drawn, by the name that points have. */
const PLOTS = /** @type {const} */ ({
  change: {
    title: 'One endpoint changed: from the API to the kernel',
    yTitle: 'Median latency',
    unit: 'ms',
  },
  load: { title: 'Start: from the beginning of the process to rules in the kernel', yTitle: 'Time', unit: 'ms' },
  lag: { title: '100 changes a second: how old a change is in the kernel', yTitle: 'Median lag', unit: 'ms' },
  memory: { title: 'Memory of the process', yTitle: 'Resident, 15 s after the first sync', unit: 'MB' },
  blocked: { title: 'Event loop blocked at the start: longest block', yTitle: 'Time', unit: 'ms' },
});

/** @type {Readonly<Record<string, {label: string, colour: Series['colour']}>>} */
const MODES = {
  nftables: { label: 'nftables', colour: 'blue' },
  'iptables-nft': { label: 'iptables (nft)', colour: 'green' },
  'iptables-legacy': { label: 'iptables (legacy)', colour: 'orange' },
  ipvs: { label: 'ipvs', colour: 'purple' },
};
const PEER = 'kube-proxy ';

/**
 * The pages and pictures of results, by the name of their file in `docs/performance`.
 *
 * @param {readonly Result[]} results
 * @returns {ReadonlyMap<string, string>}
 */
export function renderReport(results) {
  /** @type {Map<string, string>} */
  const files = new Map();
  const sections = [];
  for (const [name, { title, yTitle, unit }] of Object.entries(PLOTS)) {
    const [measured, ...others] = results.filter(({ figures }) => figures.some(({ point }) => point?.plot === name));
    if (measured === undefined) {
      continue;
    }
    if (others.length > 0) {
      throw new Error(`${[measured, ...others].map(({ bench }) => bench).join(' and ')} both have the plot ${name}`);
    }
    const figures = measured.figures.filter(({ point }) => point?.plot === name);
    const hasPeer = figures.some(({ point }) => point?.series.startsWith(PEER));
    const references = hasPeer ? undefined : KUBE_PROXY.plots[name];
    /** @type {Plot} */
    const plot = {
      title,
      yTitle: isBusy(measured) ? `${yTitle}, on a busy machine: an upper bound` : yTitle,
      format: (value) => axisLabel(value, unit),
      series: [...seriesOf(figures), ...referenceSeries(references)],
    };
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      files.set(`${name}-${theme}.svg`, renderPlot(plot, theme));
    }
    sections.push(
      [
        `## ${title}`,
        picture(name, title),
        ...(references === undefined
          ? []
          : [
              `In dashes: ${KUBE_PROXY.name}, measured on another machine of this kind with a real API server and etcd. Compare orders of\nmagnitude. \`npm run bench:scale -- --peer PATH\` measures a kube-proxy beside the modes instead.`,
            ]),
        tableByServices(figures, unit),
        `${byLine(measured)}`,
      ].join('\n\n'),
    );
  }
  const tables = results.map((result) => {
    const rest = result.figures.filter(({ point }) => point === undefined);
    return [
      `## ${result.bench}`,
      `${result.subject[0]?.toUpperCase()}${result.subject.slice(1)}.`,
      table(rowsOf(rest).map(asCells)),
      byLine(result),
    ].join('\n\n');
  });
  files.set(
    'README.md',
    `${[
      '# Measured',
      'Written by `npm run bench:report` from the results in [`bench/results`](../../bench/results), which each `npm run bench:NAME` writes\nanew. [Performance](../performance.md) explains them, and has older runs on a quiet machine.',
      ...sections,
      ...tables,
    ].join('\n\n')}\n`,
  );
  return files;
}

/**
 * A picture in the colours of the reader's theme.
 *
 * @param {string} name
 * @param {string} title
 * @param {string} [directory]
 */
export function picture(name, title, directory = '') {
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${directory}${name}-dark.svg">`,
    `  <img alt="${title}, by the number of Services" src="${directory}${name}-light.svg">`,
    '</picture>',
  ].join('\n');
}

/**
 * @param {readonly Figure[]} figures
 * @returns {readonly Series[]}
 */
function seriesOf(figures) {
  const names = [...new Set(figures.flatMap(({ point }) => (point ? [point.series] : [])))];
  return names.map((name) => {
    const isPeer = name.startsWith(PEER);
    const { label, colour } = MODES[isPeer ? name.slice(PEER.length) : name] ?? { label: name, colour: 'grey' };
    return {
      label: isPeer ? `${PEER}${label}` : label,
      colour,
      isReference: isPeer,
      points: figures
        .flatMap(({ point, value }) => (point?.series === name && value > 0 ? [{ x: point.services, y: value }] : []))
        .sort((a, b) => a.x - b.x),
    };
  });
}

/**
 * @param {typeof KUBE_PROXY.plots[string] | undefined} references
 * @returns {readonly Series[]}
 */
function referenceSeries(references = {}) {
  return Object.entries(references).map(([mode, points]) => ({
    label: `${PEER}${MODES[mode]?.label ?? mode}`,
    colour: MODES[mode]?.colour ?? 'grey',
    isReference: true,
    points: points.map(([x, y]) => ({ x, y })),
  }));
}

/**
 * @param {readonly Figure[]} figures with points
 * @param {Unit} unit
 */
function tableByServices(figures, unit) {
  const series = [...new Set(figures.map(({ point }) => point?.series ?? ''))];
  const counts = [...new Set(figures.map(({ point }) => point?.services ?? 0))].sort((a, b) => a - b);
  return table(
    counts.map((services) => ({
      Services: services.toLocaleString('en'),
      ...Object.fromEntries(
        series.map((name) => {
          const found = figures.find(({ point }) => point?.services === services && point.series === name);
          return [MODES[name]?.label ?? name, found ? formatQuantity(found.value, unit) : ''];
        }),
      ),
    })),
  );
}

/** @param {ReturnType<typeof rowsOf>[number]} row */
function asCells({ what, measured, aim, ok, ...columns }) {
  return { what, measured, aim: `${aim}${ok === 'NO' ? ' (missed)' : ''}`, ...columns };
}

/**
 * @param {readonly Readonly<Record<string, string | number>>[]} rows
 */
function table(rows) {
  const titles = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((title) =>
    rows.some((row) => (row[title] ?? '') !== ''),
  );
  const lines = rows.map((row) => `| ${titles.map((title) => row[title] ?? '').join(' | ')} |`);
  return [`| ${titles.join(' | ')} |`, `| ${titles.map(() => '---').join(' | ')} |`, ...lines].join('\n');
}

/**
 * Whether processes had to wait for a processor, beside those of the benchmark itself.
 *
 * @param {Result} result
 */
function isBusy({ load, machine }) {
  return Math.max(load.before, load.after) > 2 * machine.processors;
}

/** @param {Result} result */
function byLine(result) {
  const { command, date, commit, machine, load } = result;
  const busy = isBusy(result)
    ? ' **The machine had much else to do: times are upper bounds, and differences of rows may be noise.**'
    : '';
  return `\`${command}\`, ${date}, commit ${commit}, ${describeMachine(machine)}, load ${load.before} before and ${load.after} after.${busy}`;
}

/**
 * @param {number} value
 * @param {Unit} unit
 */
function axisLabel(value, unit) {
  return unit === 'ms' && value >= 1000 ? `${value / 1000} s` : `${value} ${unit}`;
}
