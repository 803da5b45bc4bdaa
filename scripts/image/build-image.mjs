/**
 * Builds the image of the agent without a daemon: an OCI image layout, its archive, and a bill of materials for each architecture.
 * Two builds of one commit have the same digest.
 *
 *   npm run image -- [--flavour kube-proxier|kube-proxier-nftables] [--arch amd64|arm64]… [--output DIRECTORY]
 *     [--accept-newer] [--update-lock]
 *
 * Needs Debian's `apt-get`, `dpkg-deb`, GNU `tar` and `gzip`; root is not needed. The packages are built first (`npm run build`).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundledPackages } from './bundled-packages.mjs';
import {
  ARCHITECTURES,
  debianPackages,
  FLAVOURS,
  ImageError,
  nodePackage,
  ROOT,
  RUNS_WITHOUT_ROOT,
  readLock,
  updateLock,
} from './image-parts.mjs';
import { OciLayout } from './oci-layout.mjs';
import { COMPILE_CACHE, layOutAgent, layOutDebian, layOutNode, NODE, normalizeModes } from './root-filesystem.mjs';
import { cycloneDx } from './sbom.mjs';

const OUTPUT = join(ROOT, 'image');
const DESCRIPTION = 'Kubernetes service proxy: a replacement for kube-proxy';

/**
 * @typedef {object} BuiltImage
 * @property {string} layout directory of the OCI layout
 * @property {string} archive
 * @property {string} digest of the index
 * @property {readonly {architecture: import('./image-parts.mjs').Architecture, digest: string, bytes: number}[]} images `bytes`:
 * compressed, as pulled
 */

/**
 * @param {object} options
 * @param {readonly import('./image-parts.mjs').Architecture[]} options.architectures
 * @param {import('./image-parts.mjs').Flavour} options.flavour
 * @param {string} options.output directory; images of the same flavour in it are replaced
 * @param {boolean} options.acceptNewer see `debianPackages`
 * @returns {BuiltImage}
 */
export function buildImage({ architectures, flavour, output, acceptNewer }) {
  if (!existsSync(join(ROOT, 'packages/agent/bundle/kube-proxier.js'))) {
    throw new ImageError('The agent is not built: run "npm run build" first');
  }
  const lock = readLock();
  const time = sourceDate();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/agent/package.json'), 'utf8'));
  const npm = bundledPackages();
  mkdirSync(output, { recursive: true });
  const layoutDirectory = join(output, `${flavour}-layout`);
  rmSync(layoutDirectory, { recursive: true, force: true });
  const layout = new OciLayout(layoutDirectory);
  const images = architectures.map((architecture) => {
    const debian = debianPackages(lock, architecture, flavour, acceptNewer);
    const layers = [
      (/** @type {string} */ directory) => layOutDebian(directory, debian, lock.suite),
      (/** @type {string} */ directory) => layOutNode(directory, nodePackage(lock, architecture)),
      (/** @type {string} */ directory) => layOutAgent(directory, architecture, npm),
    ].map((layOut) =>
      withTemporaryDirectory((directory) => {
        layOut(directory);
        normalizeModes(directory);
        const hasNode = RUNS_WITHOUT_ROOT.includes(flavour) && existsSync(join(directory, NODE));
        return layout.addLayer(directory, time, hasNode ? [NODE] : []);
      }),
    );
    const created = new Date(time * 1000).toISOString();
    const annotations = {
      'org.opencontainers.image.title': flavour,
      'org.opencontainers.image.description': DESCRIPTION,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.created': created,
      'org.opencontainers.image.revision': revision(),
    };
    const config = {
      created,
      architecture,
      os: 'linux',
      config: {
        Env: [
          'PATH=/usr/local/bin:/usr/sbin:/usr/bin',
          'NODE_ENV=production',
          `NODE_COMPILE_CACHE=${COMPILE_CACHE}`,
          // One heap of the C library for all threads of V8: several megabytes less.
          'MALLOC_ARENA_MAX=1',
        ],
        Entrypoint: ['/usr/local/bin/kube-proxier'],
        WorkingDir: '/',
        Labels: annotations,
      },
    };
    const { digest } = layout.addImage(config, layers, annotations, `${flavour}:${version}`);
    const bytes = layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0);
    const bom = cycloneDx({
      version,
      architecture,
      debian,
      node: lock.architectures[architecture].node,
      npm,
      time: created,
    });
    writeFileSync(join(output, `${flavour}-${version}-${architecture}.cdx.json`), `${JSON.stringify(bom, null, 2)}\n`);
    return { architecture, digest, bytes };
  });
  const digest = layout.close();
  const archive = join(output, `${flavour}-${version}.oci.tar`);
  execFileSync('tar', [
    ...[
      '--create',
      '--file',
      archive,
      '--directory',
      layout.directory,
      '--format=ustar',
      '--sort=name',
      `--mtime=@${time}`,
    ],
    ...['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '.'],
  ]);
  return { layout: layout.directory, archive, digest, images };
}

/**
 * Unpacks an image of a layout, as a container runtime does. File capabilities need root.
 *
 * @param {string} layout
 * @param {string} digest of the image's manifest
 * @param {string} directory
 * @param {{readonly keepsAttributes?: boolean}} [options] `keepsAttributes`: default true; some tools lose extended attributes
 * @returns {{Entrypoint: readonly string[], Env: readonly string[]}} how to run it
 */
export function unpackImage(layout, digest, directory, { keepsAttributes = true } = {}) {
  const blob = (/** @type {string} */ one) => join(layout, 'blobs', one.replace(':', '/'));
  const manifest = JSON.parse(readFileSync(blob(digest), 'utf8'));
  for (const layer of manifest.layers) {
    execFileSync('tar', [
      ...['--extract', '--gzip', '--file', blob(layer.digest), '--directory', directory],
      ...['--keep-directory-symlink', '--same-permissions', '--no-same-owner'],
      ...(keepsAttributes ? ['--xattrs', '--xattrs-include=security.capability'] : []),
    ]);
  }
  return JSON.parse(readFileSync(blob(manifest.config.digest), 'utf8')).config;
}

/** Seconds since 1970: `SOURCE_DATE_EPOCH`, or the time of the last commit. */
function sourceDate() {
  return Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? 0);
}

function revision() {
  return git('rev-parse', 'HEAD') ?? 'unknown';
}

/** @param {readonly string[]} args */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/**
 * @template Result
 * @param {(directory: string) => Result} action
 */
function withTemporaryDirectory(action) {
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-image-'));
  try {
    return action(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function main() {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', multiple: true, default: ['amd64'] },
      flavour: { type: 'string', default: 'kube-proxier' },
      output: { type: 'string', default: OUTPUT },
      'accept-newer': { type: 'boolean', default: false },
      'update-lock': { type: 'boolean', default: false },
    },
  });
  if (values['update-lock']) {
    updateLock();
  }
  const flavour = /** @type {(import('./image-parts.mjs').Flavour)[]} */ (Object.keys(FLAVOURS)).find(
    (one) => one === values.flavour,
  );
  if (flavour === undefined) {
    throw new ImageError(`--flavour: "${values.flavour}" is not one of ${Object.keys(FLAVOURS).join(', ')}`);
  }
  const architectures = values.arch.map((name) => {
    const known = ARCHITECTURES.find((one) => one === name);
    if (known === undefined) {
      throw new ImageError(`--arch: "${name}" is not one of ${ARCHITECTURES.join(', ')}`);
    }
    return known;
  });
  const { archive, images } = buildImage({
    ...{ architectures, flavour, output: values.output },
    acceptNewer: values['accept-newer'],
  });
  for (const { architecture, digest, bytes } of images) {
    process.stdout.write(`${architecture}  ${(bytes / 1e6).toFixed(1)} MB compressed  ${digest}\n`);
  }
  process.stdout.write(`${relative(process.cwd(), archive)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    process.stderr.write(
      `${error instanceof ImageError ? error.message : error instanceof Error ? error.stack : error}\n`,
    );
    process.exitCode = 1;
  }
}
