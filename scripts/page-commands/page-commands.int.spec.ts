import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const AGENT = join(ROOT, 'packages/agent/bin/kube-proxier.js');
const STAND_IN = join(ROOT, 'scripts/page-commands/stand-in.mjs');
const PAGES = ['docs/migrating.md', 'docs/deploying.md', 'docs/operating.md'];

/** Commands of one `sh` fence. */
interface Block {
  readonly page: string;
  readonly heading: string;
  readonly commands: string;
}

/** All `sh` fences of a page in their order, those in lists too. */
function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let open: { readonly indent: string; readonly language: string; readonly lines: string[] } | undefined;
  for (const line of readFileSync(join(ROOT, page), 'utf8').split('\n')) {
    const [, indent = '', language] = /^(\s*)```(\w*)/.exec(line) ?? [];
    if (language === undefined) {
      open?.lines.push(line.slice(open.indent.length));
      heading = open ? heading : (/^#+ (.*)/.exec(line)?.[1] ?? heading);
    } else if (open) {
      if (/^(sh|bash|shell)$/.test(open.language)) {
        blocks.push({ page, heading, commands: open.lines.join('\n') });
      }
      open = undefined;
    } else {
      open = { indent, language, lines: [] };
    }
  }
  return blocks;
}

const BLOCKS = PAGES.flatMap(blocksOf);

/** The fences below a heading, or those of them from one to before another, counted from 0. */
function below(page: string, heading: string, from = 0, to = Number.POSITIVE_INFINITY): readonly Block[] {
  const found = BLOCKS.filter((block) => block.page === `docs/${page}.md` && block.heading.startsWith(heading));
  if (found.length === 0) {
    throw new Error(`docs/${page}.md has no commands below "${heading}"`);
  }
  return found.slice(from, to);
}

/** What is run in one shell, in one cluster: commands of pages, and between them what the test adds, as text. */
const STORIES: Readonly<Record<string, readonly (readonly Block[] | string)[]>> = {
  'an image, and a cluster of kind': [
    below('deploying', 'The image'),
    below('deploying', 'kind'),
    'nft list table ip kube-proxier > /dev/null',
  ],
  "the image takes kube-proxy's place in its DaemonSet": [below('deploying', 'kubeadm: only')],
  'a cluster is moved, and back': [
    below('migrating', 'Step by step', 0, 2),
    below('deploying', 'Moving a cluster'),
    below('migrating', 'Step by step', 2),
    'nft list table ip kube-proxier > /dev/null',
    below('deploying', 'Changing the configuration'),
    'nft list table ip kube-proxier > /dev/null',
    below('deploying', 'Migrating back', 0, 1),
    // What is programmed stays until it is removed.
    'nft list table ip kube-proxier > /dev/null',
    below('migrating', 'Migrating back'),
    'test -z "$(nft list tables)"',
    below('deploying', 'Migrating back', 1),
    'test -z "$(nft list tables)"',
  ],
  'a node that serves': [
    `ln -s ${AGENT} "$STAND_IN/bin/kube-proxier"`,
    `kube-proxier --proxy-mode=nftables --profiling --cluster-cidr=10.244.0.0/16 --hostname-override=worker-1 \\
      --manifests ${join(ROOT, 'examples/traffic-policies')} 2> "$STAND_IN/agent.log" &`,
    'until curl --silent --fail http://127.0.0.1:10256/readyz; do sleep 0.1; done',
    below('operating', 'Health and status'),
    below('operating', 'One proxy on a node'),
  ],
  'a node with firewalls': [
    `ln -s ${AGENT} "$STAND_IN/bin/kube-proxier"`,
    // ufw changes files of the host: only the form of its commands is checked.
    `printf '#!/bin/sh\n[ "$1" = route ] && shift\nexpr "$*" : "allow \\(to\\|from\\) [0-9a-f.:]*/[0-9]*$" > /dev/null || expr "$*" : "allow [0-9]*/tcp$" > /dev/null\n' > "$STAND_IN/bin/ufw"`,
    'chmod +x "$STAND_IN/bin/ufw"',
    'iptables -N DOCKER-USER; ip6tables -N DOCKER-USER',
    below('operating', 'With firewalld'),
    'test "$(iptables -S DOCKER-USER | grep -c ACCEPT) $(ip6tables -S DOCKER-USER | grep -c ACCEPT)" = "2 2"',
    'test "$(ip6tables -S FORWARD | grep -c ACCEPT)" = 3',
  ],
};

/** Runs a story in a network namespace; what came, and which commands failed, with their status. */
function run(story: readonly (readonly Block[] | string)[]) {
  const directory = mkdtempSync(join(tmpdir(), 'page-commands-'));
  try {
    const home = join(directory, 'stand-in');
    const bin = join(home, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const program of ['kubectl', 'helm', 'kind', 'npm']) {
      const script = `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" ${program} "$@"\n`;
      writeFileSync(join(bin, program), script, { mode: 0o755 });
    }
    // A place of its own to write to, which looks like this repository.
    const repository = join(directory, 'repository');
    mkdirSync(join(repository, 'scripts'), { recursive: true });
    for (const path of ['deploy', 'scripts/deploy', 'package.json']) {
      cpSync(join(ROOT, path), join(repository, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(repository, 'node_modules'));
    const script = [
      'set -o pipefail -o errtrace',
      `trap 'echo "$? $BASH_COMMAND" >> "$STAND_IN/failed"' ERR`,
      'ip link set lo up',
      'sysctl -q net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1',
      ...story.flatMap((part) => (typeof part === 'string' ? [part] : part.map(({ commands }) => commands))),
      '',
    ].join('\n');
    writeFileSync(join(directory, 'script.sh'), script);
    const { stderr, status } = spawnSync(
      'unshare',
      ['--net', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', join(directory, 'script.sh')],
      {
        cwd: repository,
        encoding: 'utf8',
        timeout: 540_000,
        env: { HOME: directory, PATH: `${bin}:${process.env.PATH}`, STAND_IN: home },
      },
    );
    const textOf = (name: string) => (existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : '');
    const failed = textOf('failed').split('\n').filter(Boolean);
    return { stderr, status, failed, log: textOf('agent.log') };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const canHaveNamespace = spawnSync('unshare', ['--net', 'true']).status === 0;

describe('commands of migrating, deploying and operating', () => {
  test('are all run by a test', () => {
    const run = new Set(
      Object.values(STORIES).flatMap((story) => story.filter((part) => typeof part !== 'string').flat()),
    );
    expect(BLOCKS.filter((block) => !run.has(block))).toEqual([]);
    expect(BLOCKS.length).toBeGreaterThan(15);
  });

  test.each(PAGES)('%s has no command within a sentence that is not run as well', (page) => {
    const sentences = readFileSync(join(ROOT, page), 'utf8').replace(/^\s*```.*?^\s*```/gms, '');
    const commands = BLOCKS.map((block) => block.commands.replace(/\\\n\s*/g, ' ')).join('\n');
    const programs = 'kubectl|helm|kind|npm|npx|node|kube-proxier|nft|curl|ss|iptables|ipvsadm|sysctl';
    const named = [...sentences.matchAll(new RegExp(`\`((?:${programs}) [^\`]+)\``, 'g'))].map(([, text = '']) => text);
    // SOURCE, MODE and … stand for what the reader knows; `kube-proxier cleanup` names a command.
    const exact = named.filter((text) => !/…|\b[A-Z]{4,}\b|^[\w-]+ [\w-]+$/.test(text));
    expect(exact.filter((text) => !commands.includes(text))).toEqual([]);
  });

  (canHaveNamespace ? test : test.skip).each(Object.keys(STORIES))(
    'do what the page says: %s',
    (name) => {
      const { failed, stderr, ...came } = run(STORIES[name] ?? []);
      // In a process namespace the host's proxies cannot be seen, so that doctor says "unknown" of them.
      const wrong = failed.filter((line) => !/^2 .*doctor/.test(line));
      expect({ wrong, stderr: wrong.length > 0 ? stderr : '', ...came }).toMatchObject({
        wrong: [],
        stderr: '',
        status: 0,
        log: expect.not.stringContaining(' ERROR '),
      });
    },
    600_000,
  );

  test.each(
    casesOf<readonly [string, RegExp, ...string[]]>(
      [
        ['a verb', /describe is not known here/, 'kubectl', 'describe', 'daemonset'],
        [
          'an object',
          /there is no configmap\/kube-proxier/,
          ...'kubectl --namespace kube-system get configmap kube-proxier --output yaml'.split(' '),
        ],
        [
          'a patch that no DaemonSet can have',
          /affinities/,
          ...'kubectl --namespace kube-system patch daemonset kube-proxy'.split(' '),
          '--patch={spec: {template: {spec: {affinities: {}}}}}',
        ],
        [
          'a value of the chart',
          /values: .*clusterCIDR/,
          ...'helm install kube-proxier deploy/helm/kube-proxier --namespace kube-system --set apiServer.host=a --set config.clusterCIDRs=10.0.0.0/8'.split(
            ' ',
          ),
        ],
        [
          'a package',
          /npm install --global @kube-proxier\/cli is not known here/,
          ...'npm install --global @kube-proxier/cli'.split(' '),
        ],
      ],
      [
        [
          'a namespace that is missing',
          /--namespace is undefined/,
          'kubectl',
          'rollout',
          'undo',
          'daemonset/kube-proxy',
        ],
        [
          'a flag',
          /Unknown option '--outptu'/,
          'kubectl',
          '--namespace',
          'kube-system',
          'get',
          'configmap',
          'kube-proxy',
          '--outptu=yaml',
        ],
        [
          'a field of an object',
          /jsonpath=\{\.data\.config\.conf\}, and must be yaml/,
          ...'kubectl --namespace kube-system get configmap kube-proxy --output jsonpath={.data.config.conf}'.split(
            ' ',
          ),
        ],
        [
          'a path of a patch',
          /replace \/spec\/image: there is no such field/,
          ...'kubectl --namespace kube-system patch daemonset kube-proxy --type=json'.split(' '),
          '--patch=[{"op": "replace", "path": "/spec/image", "value": "x"}]',
        ],
        ['a node', /there is no node worker-2/, ...'kubectl label node worker-2 a=b'.split(' ')],
        [
          'kube-proxy and kube-proxier on one node',
          /would wait for ever/,
          ...'helm install kube-proxier deploy/helm/kube-proxier --namespace kube-system --set apiServer.host=a --set config.clusterCIDR=10.0.0.0/8'.split(
            ' ',
          ),
        ],
      ],
    ),
  )('the stand-in refuses what a cluster would refuse: %s', (_what, message, ...command) => {
    const home = mkdtempSync(join(tmpdir(), 'stand-in-'));
    try {
      const { stderr, status } = spawnSync(process.execPath, [STAND_IN, ...command], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, STAND_IN: home },
      });
      expect([stderr, status]).toEqual([expect.stringMatching(message), 64]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
