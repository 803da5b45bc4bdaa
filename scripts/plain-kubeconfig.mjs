/**
 * A kubeconfig without credentials, as text.
 *
 * @param {string} url of the API server, in plain HTTP
 */
export function plainKubeconfig(url) {
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'plain' },
    contexts: [{ name: 'plain', context: { cluster: 'plain' } }],
    clusters: [{ name: 'plain', cluster: { server: url } }],
  });
}
