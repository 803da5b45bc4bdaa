/** The npm packages in the agent's bundle, found by the sources that its source maps list. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './image-parts.mjs';

const BUNDLE = join(ROOT, 'packages/agent/bundle');
/** Loaded beside the bundle, as they have native parts. */
const BESIDE = ['koffi'];
const LICENSE_FILE = /^(licen[cs]e|copying)/i;

/**
 * @typedef {object} BundledPackage
 * @property {string} name
 * @property {string} version
 * @property {string} license an SPDX expression
 * @property {string} licenseText
 */

/**
 * @returns {readonly BundledPackage[]} sorted by name
 * @throws Error naming a package without a licence.
 */
export function bundledPackages() {
  const directories = new Set(BESIDE.map((name) => join(ROOT, 'node_modules', name)));
  for (const name of readdirSync(BUNDLE).filter((file) => file.endsWith('.map'))) {
    const { sources } = JSON.parse(readFileSync(join(BUNDLE, name), 'utf8'));
    for (const source of sources) {
      const path = join(BUNDLE, source);
      const at = path.lastIndexOf('/node_modules/');
      if (at >= 0) {
        const [first = '', second = ''] = path.slice(at + '/node_modules/'.length).split('/');
        const module = first.startsWith('@') ? `${first}/${second}` : first;
        directories.add(join(path.slice(0, at), 'node_modules', module));
      }
    }
  }
  const page = ['preact', 'uplot'].map((name) => join(ROOT, 'node_modules', name));
  return [...new Set([...directories, ...page])]
    .filter((directory) => existsSync(join(directory, 'package.json')) && !isOwn(directory))
    .map(describe)
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** @param {string} directory */
function isOwn(directory) {
  return directory.includes('/node_modules/@kube-proxier/');
}

/** @param {string} directory */
function describe(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find((entry) => LICENSE_FILE.test(entry));
  if (typeof license !== 'string') {
    throw new Error(`The package ${name} in ${dirname(directory)} names no licence`);
  }
  const licenseText =
    file === undefined ? `SPDX-License-Identifier: ${license}\n` : readFileSync(join(directory, file), 'utf8');
  return { name, version, license, licenseText };
}
