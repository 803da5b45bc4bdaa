/** The layers of an image, as directories: Debian packages, Node, and the agent. No shell, no package manager, no npm. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { lockedNpmPackage, NPM_ARCHITECTURE, ROOT } from './image-parts.mjs';

/** Under `usr`: what no program of the image reads. Licences (`copyright`) stay. */
const UNUSED = [
  'share/man',
  'share/locale',
  'share/lintian',
  'share/bug',
  'share/bash-completion',
  'share/zsh',
  'share/gdb',
  'share/gcc',
  'share/initramfs-tools',
  'share/ipset',
  'share/iptables',
  'share/tabset',
  'lib/systemd',
  'lib/udev',
  'lib/*/gconv',
  'lib/*/audit',
  'lib/*/engines-3',
  'lib/*/ossl-modules',
  'lib/terminfo',
  'lib/tmpfiles.d',
  'lib/modules-load.d',
];
/** Where Node keeps compiled code (`NODE_COMPILE_CACHE`); the DaemonSet mounts a directory of the pod there. */
export const COMPILE_CACHE = '/var/cache/kube-proxier';

/** The program that runs the agent, in the image. */
export const NODE = 'usr/local/bin/node';
/** Merged into `/usr`, as on every Debian. */
const MERGED = ['bin', 'lib', 'lib64', 'sbin'];
const PASSWD =
  'root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n';
const GROUP = 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n';

/**
 * @param {string} directory
 * @param {readonly {name: string, file: string}[]} packages
 * @param {string} suite
 */
export function layOutDebian(directory, packages, suite) {
  for (const name of [...MERGED.map((merged) => `usr/${merged}`), 'etc', 'run', 'tmp', 'var/lib/dpkg/status.d']) {
    mkdirSync(join(directory, name), { recursive: true });
  }
  for (const name of MERGED) {
    symlinkSync(`usr/${name}`, join(directory, name));
  }
  for (const { name, file } of packages) {
    // Through the links, as packages may still name /lib and /sbin.
    const contents = execFileSync('dpkg-deb', ['--fsys-tarfile', file], { maxBuffer: 1 << 30 });
    execFileSync('tar', ['--extract', '--keep-directory-symlink', '--no-same-owner', '--directory', directory], {
      input: contents,
    });
    // Where scanners of distroless images look for the installed packages.
    const control = execFileSync('dpkg-deb', ['--field', file], { encoding: 'utf8' });
    writeFileSync(join(directory, 'var/lib/dpkg/status.d', name), control);
  }
  for (const pattern of UNUSED) {
    for (const path of matching(join(directory, 'usr'), pattern.split('/'))) {
      rmSync(path, { recursive: true, force: true });
    }
  }
  for (const path of filesOf(directory)) {
    const isDocumentation = path.includes('/usr/share/doc/') && !path.endsWith('/copyright');
    if (isDocumentation || isShellScript(path)) {
      rmSync(path);
    }
  }
  // What update-alternatives does when the packages are configured.
  const hasIptables = packages.some(({ name }) => name === 'iptables');
  for (const prefix of hasIptables ? ['iptables', 'ip6tables'] : []) {
    for (const suffix of ['', '-restore', '-save']) {
      const link = join(directory, 'usr/sbin', `${prefix}${suffix}`);
      rmSync(link, { force: true });
      symlinkSync(`${prefix}-nft${suffix}`, link);
    }
  }
  // Mount points: the root of a container is read-only.
  mkdirSync(join(directory, 'usr/lib/modules'), { recursive: true });
  mkdirSync(join(directory, 'var/lib/kube-proxier'), { recursive: true });
  mkdirSync(join(directory, COMPILE_CACHE), { recursive: true });
  writeFileSync(join(directory, 'run/xtables.lock'), '');
  chmodSync(join(directory, 'tmp'), 0o1777);
  writeFileSync(join(directory, 'etc/passwd'), PASSWD);
  writeFileSync(join(directory, 'etc/group'), GROUP);
  writeFileSync(join(directory, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
  writeFileSync(
    join(directory, 'etc/os-release'),
    `PRETTY_NAME="kube-proxier on Debian ${suite}"\nNAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="13"\nVERSION_CODENAME=${suite}\n`,
  );
}

/**
 * @param {string} directory
 * @param {string} nodeDirectory the unpacked npm package
 */
export function layOutNode(directory, nodeDirectory) {
  mkdirSync(join(directory, 'usr/local/bin'), { recursive: true });
  cpSync(join(nodeDirectory, 'bin/node'), join(directory, NODE));
  mkdirSync(join(directory, 'usr/share/doc/node'), { recursive: true });
  cpSync(join(nodeDirectory, 'LICENSE'), join(directory, 'usr/share/doc/node/copyright'));
}

/**
 * The agent with what it loads. `@kubernetes/client-node` is not part of it: it is needed for kubeconfigs that run a program
 * (exec plug-ins) or use an authentication provider, and such programs are not in the image.
 *
 * @param {string} directory
 * @param {import('./image-parts.mjs').Architecture} architecture
 * @param {readonly import('./bundled-packages.mjs').BundledPackage[]} bundled
 */
export function layOutAgent(directory, architecture, bundled) {
  const agent = join(ROOT, 'packages/agent');
  const app = join(directory, 'app');
  mkdirSync(join(app, 'bin'), { recursive: true });
  const { name, version, license, type } = JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8'));
  writeFileSync(join(app, 'package.json'), `${JSON.stringify({ name, version, license, type }, null, 2)}\n`);
  cpSync(join(agent, 'bundle'), join(app, 'bundle'), { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const command of ['kube-proxier', 'kubectl-proxier']) {
    const text = readFileSync(join(agent, 'bin', `${command}.js`), 'utf8');
    // There is no /usr/bin/env in the image.
    writeFileSync(join(app, 'bin', `${command}.js`), text.replace(/^#!.*/, '#!/usr/local/bin/node'), { mode: 0o755 });
    mkdirSync(join(directory, 'usr/local/bin'), { recursive: true });
    symlinkSync(`/app/bin/${command}.js`, join(directory, 'usr/local/bin', command));
  }
  const npmArchitecture = NPM_ARCHITECTURE[architecture];
  const native = `@koromix/koffi-linux-${npmArchitecture}`;
  const sources = [
    { name: 'koffi', from: join(ROOT, 'node_modules/koffi') },
    { name: native, from: lockedNpmPackage(native) },
  ];
  for (const { name: module, from } of sources) {
    for (const path of filesOf(from)) {
      const relative = path.slice(from.length + 1);
      const isLoaded = /\.(c?js|json|node)$|^LICENSE/.test(relative) && !/^(vendor|doc|musl)/.test(relative);
      if (isLoaded) {
        const to = join(app, 'node_modules', module, relative);
        mkdirSync(dirname(to), { recursive: true });
        cpSync(path, to);
      }
    }
  }
  const licenses = join(directory, 'usr/share/doc/kube-proxier');
  mkdirSync(licenses, { recursive: true });
  cpSync(join(ROOT, 'LICENSE'), join(licenses, 'copyright'));
  for (const { name: module, version: moduleVersion, licenseText } of bundled) {
    writeFileSync(join(licenses, `${module.replace('/', '-')}-${moduleVersion}.LICENSE`), licenseText);
  }
}

/**
 * Modes as git has them, whatever the umask of the builder is.
 *
 * @param {string} directory
 */
export function normalizeModes(directory) {
  // The layer contains the directory itself, which becomes the root of the container.
  chmodSync(directory, 0o755);
  for (const path of entriesOf(directory)) {
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink() && !path.endsWith('/tmp')) {
      chmodSync(path, stat.isDirectory() || (stat.mode & 0o100) !== 0 ? 0o755 : 0o644);
    }
  }
}

/**
 * Paths under a directory that match a pattern of names with `*`.
 *
 * @param {string} directory
 * @param {readonly string[]} pattern
 * @returns {readonly string[]}
 */
function matching(directory, [name = '', ...rest]) {
  const expression = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
  const found = readdirSync(directory).filter((entry) => expression.test(entry));
  return found
    .map((entry) => join(directory, entry))
    .flatMap((path) => (rest.length === 0 ? [path] : lstatSync(path).isDirectory() ? matching(path, rest) : []));
}

/**
 * All files and links, without directories, sorted.
 *
 * @param {string} directory
 * @returns {readonly string[]}
 */
export function filesOf(directory) {
  return entriesOf(directory).filter((path) => !lstatSync(path).isDirectory());
}

/**
 * @param {string} directory
 * @returns {readonly string[]}
 */
function entriesOf(directory) {
  return readdirSync(directory, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? [path, ...entriesOf(path)] : [path];
    });
}

/** @param {string} path */
function isShellScript(path) {
  if (!lstatSync(path).isFile()) {
    return false;
  }
  const beginning = Buffer.alloc(40);
  readSync(openSync(path, 'r'), beginning);
  return /^#! ?\S*\/(env )?(ba|da)?sh\b/.test(beginning.toString('latin1'));
}
