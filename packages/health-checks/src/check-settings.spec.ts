import { describe, expect, test } from '@jest/globals';
import { makeService } from '@kube-proxier/core/testing';
import { HEALTH_CHECK_ANNOTATION, type HealthCheckReadOptions, readHealthCheck } from './check-settings.js';

function read(
  annotations: Readonly<Record<string, string>>,
  options: HealthCheckReadOptions = { allowScripts: true, allowNamespaces: true },
  ports: readonly { readonly name?: string; readonly protocol?: string; readonly port: number }[] = [{ port: 80 }],
) {
  const named = Object.entries(annotations).map(([name, value]) => [
    name === '' ? HEALTH_CHECK_ANNOTATION : `${HEALTH_CHECK_ANNOTATION}${name}`,
    value,
  ]);
  const metadata = { name: 'web', namespace: 'default', annotations: Object.fromEntries(named) };
  return readHealthCheck(makeService('web', { ports }, { metadata }), options);
}

const defaults = {
  ...{ interval: 5000, timeout: 2000, rise: 2, fall: 3 },
  ...{ port: undefined, namespace: undefined, allFailed: 'closed' },
};

describe('readHealthCheck', () => {
  test('without annotations there are no checks', () => {
    expect(readHealthCheck(makeService('web'))).toEqual({ settings: undefined, problems: [] });
    expect(readHealthCheck({})).toEqual({ settings: undefined, problems: [] });
  });

  test('tcp, with all defaults', () => {
    expect(read({ '': 'tcp' })).toEqual({ settings: { probe: { kind: 'tcp' }, ...defaults }, problems: [] });
  });

  test('http, with everything set', () => {
    expect(
      read({
        '': 'http:/healthz?full=1',
        '-interval': '500ms',
        '-timeout': '1.5s',
        '-rise': '1',
        '-fall': '10',
        '-port': '8081',
        '-host': 'shop.example:8443',
        '-expected-status': '200-299, 404',
        '-namespace': 'blue',
        '-all-failed': 'open',
      }),
    ).toEqual({
      settings: {
        probe: {
          ...{ kind: 'http', path: '/healthz?full=1', host: 'shop.example:8443', verifiesCertificate: false },
          statuses: [
            [200, 299],
            [404, 404],
          ],
        },
        ...{ interval: 500, timeout: 1500, rise: 1, fall: 10, port: 8081 },
        ...{ namespace: '/run/netns/blue', allFailed: 'open' },
      },
      problems: [],
    });
  });

  test('https has the path / and verifies no certificate unless it is set', () => {
    expect(read({ '': 'https' }).settings?.probe).toEqual({
      ...{ kind: 'https', path: '/', host: undefined, verifiesCertificate: false, statuses: [[200, 399]] },
    });
    expect(read({ '': 'https', '-tls-verify': 'true' }).settings?.probe).toMatchObject({ verifiesCertificate: true });
  });

  test.each([
    [{ '': 'ping' }, '"ping" must be tcp, http:/PATH'],
    [{ '': 'tcp:80' }, '"tcp:80" must be tcp'],
    [{ '': 'http:healthz' }, '"http:healthz" must be'],
    [{ '': 'http:/a b' }, '"http:/a b" must be'],
    [{ '': 'http:/a\r\nX: y' }, 'must be'],
    [{ '': 'script:../../bin/sh' }, '"script:../../bin/sh" must be'],
    [{ '': 'script:a/b' }, 'must be'],
    [{ '': 'script:.hidden' }, 'must be'],
    [{ '': 'script:' }, 'must be'],
    [{ '-interval': '5s' }, 'kube-proxier.io/health-check: is missing'],
    [
      { '': 'tcp', '-intervall': '5s' },
      'health-check-intervall: there is no such annotation; use kube-proxier.io/health-check-interval',
    ],
    [{ '': 'tcp', '-interval': '5' }, 'health-check-interval: "5" must be a duration'],
    [{ '': 'tcp', '-interval': '1ms' }, 'health-check-interval: "1ms" must be a duration from 100ms'],
    [{ '': 'tcp', '-timeout': '2h' }, 'health-check-timeout: "2h" must be a duration'],
    [{ '': 'tcp', '-rise': '0' }, 'health-check-rise: "0" must be a number from 1'],
    [{ '': 'tcp', '-fall': '1e1' }, 'health-check-fall: "1e1" must be a number'],
    [{ '': 'tcp', '-port': '0' }, 'health-check-port: "0" must be a port'],
    [{ '': 'tcp', '-port': '65536' }, 'health-check-port: "65536" must be a port'],
    [{ '': 'tcp', '-port': 'admin' }, 'health-check-port: "admin" is not the name of a port of the Service'],
    [{ '': 'tcp', '-host': 'a' }, 'health-check-host: "a" has no effect with a tcp check'],
    [{ '': 'http', '-host': 'a\r\nX: y' }, 'health-check-host: "a\\u{d}\\u{a}X: y" must be a host name'],
    [{ '': 'http', '-expected-status': '2xx' }, 'health-check-expected-status: "2xx" must be status codes'],
    [{ '': 'http', '-expected-status': '300-200' }, 'health-check-expected-status: "300-200" must be'],
    [{ '': 'tcp', '-namespace': '../x' }, 'health-check-namespace: "../x" must be the name'],
    [{ '': 'tcp', '-all-failed': 'yes' }, 'health-check-all-failed: "yes" must be one of open, closed'],
  ])('%j is a problem', (annotations, problem) => {
    const { settings, problems } = read(annotations);
    expect(settings).toBe(undefined);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test('scripts and namespaces need the permission of the host', () => {
    expect(read({ '': 'script:ldap.sh' }).settings?.probe).toEqual({ kind: 'script', name: 'ldap.sh' });
    expect(read({ '': 'script:ldap.sh' }, {}).problems).toEqual([
      'kube-proxier.io/health-check: "script:ldap.sh" cannot run a script: no directory of scripts is configured ' +
        '(--health-check-scripts)',
    ]);
    expect(read({ '': 'tcp', '-namespace': 'blue' }, {}).problems).toEqual([
      expect.stringContaining('health-check-namespace: "blue" is not allowed'),
    ]);
  });

  test('where the port is ambiguous or cannot be connected to, it must be set', () => {
    const two = [
      { name: 'http', port: 80 },
      { name: 'admin', port: 81 },
    ];
    expect(read({ '': 'http' }, {}, two).problems).toEqual([
      'kube-proxier.io/health-check-port: is missing, and the Service has 2 ports; set the one to check',
    ]);
    expect(read({ '': 'http', '-port': 'admin' }, {}, two).settings).toMatchObject({ port: 'admin' });
    expect(read({ '': 'tcp' }, {}, two).problems).toEqual([]);
    const dns = [{ name: 'dns', protocol: 'UDP', port: 53 }];
    expect(read({ '': 'tcp' }, {}, dns).problems).toEqual([
      'kube-proxier.io/health-check-port: is missing, and the Service has no TCP port to connect to; set it',
    ]);
    expect(read({ '': 'tcp', '-port': '8053' }, {}, dns).settings).toMatchObject({ port: 8053 });
  });
});
