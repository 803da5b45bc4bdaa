/** A software bill of materials in CycloneDX 1.6, of an image. */

/**
 * @typedef {object} ImageContents
 * @property {string} version of kube-proxier
 * @property {import('./image-parts.mjs').Architecture} architecture
 * @property {readonly import('./image-parts.mjs').DebianPackage[]} debian
 * @property {import('./image-parts.mjs').NodePackage} node
 * @property {readonly import('./bundled-packages.mjs').BundledPackage[]} npm
 * @property {string} time ISO 8601
 */

/**
 * Pure, and the same for the same contents.
 *
 * @param {ImageContents} contents
 */
export function cycloneDx({ version, architecture, debian, node, npm, time }) {
  const components = [
    ...debian.map((one) => ({
      type: 'library',
      'bom-ref': `pkg:deb/debian/${purl(one.name)}@${purl(one.version)}?arch=${architecture}`,
      name: one.name,
      version: one.version,
      purl: `pkg:deb/debian/${purl(one.name)}@${purl(one.version)}?arch=${architecture}`,
      hashes: [{ alg: 'SHA-256', content: one.sha256 }],
    })),
    {
      type: 'platform',
      'bom-ref': `pkg:npm/${purl(node.name)}@${node.version}`,
      name: node.name,
      version: node.version,
      purl: `pkg:npm/${purl(node.name)}@${node.version}`,
      hashes: [
        { alg: 'SHA-512', content: Buffer.from(node.integrity.replace('sha512-', ''), 'base64').toString('hex') },
      ],
    },
    ...npm.map(npmComponent),
  ];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: time,
      component: {
        type: 'container',
        'bom-ref': `pkg:oci/kube-proxier@${version}?arch=${architecture}`,
        name: 'kube-proxier',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
    dependencies: [
      {
        ref: `pkg:oci/kube-proxier@${version}?arch=${architecture}`,
        dependsOn: components.map((one) => one['bom-ref']),
      },
    ],
  };
}

/**
 * An npm package as a component.
 *
 * @param {{readonly name: string, readonly version: string, readonly license: string}} one
 */
export function npmComponent({ name, version, license }) {
  return {
    type: 'library',
    'bom-ref': `pkg:npm/${purl(name)}@${version}`,
    name,
    version,
    purl: `pkg:npm/${purl(name)}@${version}`,
    licenses: [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }],
  };
}

/** @param {string} text */
function purl(text) {
  return encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%3A', ':');
}
