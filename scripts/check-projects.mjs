/**
 * Fails when a code file of the repository is in no project of the compiler, so that nothing checks its types.
 * Part of `npm run typecheck`; or `node scripts/check-projects.mjs [directory of the repository]`.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const COMPILER = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
/** Projects besides those that the first one refers to. */
const PROJECTS = ['tsconfig.json', 'tsconfig.scripts.json'];
/** A project that only this repository has. */
const PAGE = 'packages/server/page';
const CODE = ['ts', 'mts', 'cts', 'tsx', 'js', 'mjs', 'cjs', 'jsx'];
const JAVASCRIPT = /\.[cm]?jsx?$/;

const execute = promisify(execFile);

/**
 * @param {string} root directory of the repository
 * @returns {Promise<{files: number, projects: number, violations: string[]}>}
 */
export async function checkProjects(root) {
  const roots = [...PROJECTS, ...(existsSync(join(root, PAGE)) ? [PAGE] : [])];
  const projects = (await Promise.all(roots.map((project) => projectsFrom(root, project)))).flat();
  const checked = new Set((await Promise.all(projects.map((project) => checkedFiles(root, project)))).flat());
  const files = await codeFiles(root);
  const violations = files
    .filter((file) => !checked.has(file))
    .map((file) => `${file}: no project checks its types; include it in ${PROJECTS[1]}`);
  if (files.length === 0) {
    violations.push('no code files found: a check of nothing proves nothing');
  }
  return { files: files.length, projects: projects.length, violations };
}

/**
 * @typedef {object} Configuration as the compiler reads it
 * @property {{checkJs?: boolean}} compilerOptions
 * @property {readonly {path: string}[]} [references]
 */

/**
 * A project and those that it refers to.
 *
 * @param {string} root
 * @param {string} project
 * @returns {Promise<string[]>}
 */
async function projectsFrom(root, project) {
  const { references = [] } = await configurationOf(root, project);
  return [project, ...references.map(({ path }) => path)];
}

/**
 * @param {string} root
 * @param {string} project
 * @returns {Promise<Configuration>}
 */
async function configurationOf(root, project) {
  return JSON.parse(await compile(root, ['-p', project, '--showConfig']));
}

/**
 * Files of a project whose types are checked: those in JavaScript only where the project says so.
 *
 * @param {string} root
 * @param {string} project
 */
async function checkedFiles(root, project) {
  const files = (await compile(root, ['-p', project, '--listFilesOnly']))
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/node_modules/'))
    .map((file) => relative(root, file));
  if (!files.some((file) => JAVASCRIPT.test(file))) {
    return files;
  }
  const { compilerOptions } = await configurationOf(root, project);
  return compilerOptions.checkJs === true ? files : files.filter((file) => !JAVASCRIPT.test(file));
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 */
async function compile(root, args) {
  const { stdout } = await execute(process.execPath, [COMPILER, ...args], { cwd: root, maxBuffer: 2 ** 26 });
  return stdout;
}

/**
 * Code files, without those that git ignores.
 *
 * @param {string} root
 */
async function codeFiles(root) {
  const patterns = CODE.map((extension) => `*.${extension}`);
  const { stdout } = await execute(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z', '--', ...patterns],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  return stdout.split('\0').filter(Boolean).sort();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const { files, projects, violations } = await checkProjects(root);
  for (const violation of violations) {
    process.stderr.write(`${violation}\n`);
  }
  process.stdout.write(`projects: ${files} code files, ${projects} projects, ${violations.length} violations\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
