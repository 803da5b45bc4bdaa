/** Writes an image layout as the Open Container Initiative specifies it: the same bytes for the same directories. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFileCapability } from './file-capability.mjs';
import { sha256Of } from './image-parts.mjs';

/**
 * @typedef {object} Descriptor
 * @property {string} mediaType
 * @property {string} digest
 * @property {number} size
 */

const TYPES = /** @type {const} */ ({
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
});

export class OciLayout {
  /** @type {readonly object[]} */
  #manifests = [];
  /** @type {readonly object[]} */
  #dockerManifests = [];

  /** @param {string} directory an empty one */
  constructor(directory) {
    this.directory = directory;
    mkdirSync(join(directory, 'blobs/sha256'), { recursive: true });
    writeFileSync(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  }

  /**
   * Writes a layer with the content of a directory, owned by root, with one time for all files.
   *
   * @param {string} directory
   * @param {number} time seconds since 1970
   * @param {readonly string[]} [permitted] files that may have CAP_NET_ADMIN, below the directory
   * @returns {{descriptor: Descriptor, diffId: string}}
   */
  addLayer(directory, time, permitted = []) {
    const tar = join(this.directory, 'layer.tar');
    execFileSync('tar', [
      ...['--create', '--file', tar, '--directory', directory, '--format=ustar', '--sort=name', `--mtime=@${time}`],
      ...['--owner=0', '--group=0', '--numeric-owner', '.'],
    ]);
    for (const path of permitted) {
      writeFileSync(tar, withFileCapability(readFileSync(tar), `./${path}`));
    }
    const diffId = `sha256:${sha256Of(readFileSync(tar))}`;
    // GNU gzip: the zlib of Node compresses differently on different processors.
    execFileSync('gzip', ['--no-name', '--best', '--force', tar]);
    const compressed = `${tar}.gz`;
    const digest = sha256Of(readFileSync(compressed));
    const { size } = statSync(compressed);
    renameSync(compressed, join(this.directory, 'blobs/sha256', digest));
    return { descriptor: { mediaType: TYPES.layer, digest: `sha256:${digest}`, size }, diffId };
  }

  /**
   * @param {object} config of the image-spec, without `rootfs`
   * @param {readonly {descriptor: Descriptor, diffId: string}[]} layers the lowest first
   * @param {Readonly<Record<string, string>>} annotations
   * @param {string} name with a tag, for runtimes that load the layout
   * @returns {Descriptor}
   */
  addImage(config, layers, annotations, name) {
    const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
    const manifest = {
      schemaVersion: 2,
      mediaType: TYPES.manifest,
      config: this.#addJson(TYPES.config, { ...config, rootfs }),
      layers: layers.map(({ descriptor }) => descriptor),
      annotations,
    };
    const descriptor = this.#addJson(TYPES.manifest, manifest);
    const { architecture, os } = /** @type {{architecture: string, os: string}} */ (config);
    this.#manifests = [
      ...this.#manifests,
      { ...descriptor, platform: { architecture, os }, annotations: nameOf(name) },
    ];
    this.#dockerManifests = [
      ...this.#dockerManifests,
      { Config: pathOf(manifest.config), RepoTags: [name], Layers: manifest.layers.map(pathOf) },
    ];
    return descriptor;
  }

  /**
   * Writes the index of all images, and the one that `docker load` reads.
   *
   * @returns {string} the digest of the index
   */
  close() {
    writeFileSync(join(this.directory, 'manifest.json'), JSON.stringify(this.#dockerManifests.slice(0, 1)));
    const index = JSON.stringify({ schemaVersion: 2, mediaType: TYPES.index, manifests: this.#manifests });
    writeFileSync(join(this.directory, 'index.json'), index);
    return `sha256:${sha256Of(Buffer.from(index))}`;
  }

  /**
   * @param {string} mediaType
   * @param {object} value
   * @returns {Descriptor}
   */
  #addJson(mediaType, value) {
    const contents = Buffer.from(JSON.stringify(value));
    const digest = sha256Of(contents);
    writeFileSync(join(this.directory, 'blobs/sha256', digest), contents);
    return { mediaType, digest: `sha256:${digest}`, size: contents.length };
  }
}

/**
 * Names that containerd and others read.
 *
 * @param {string} name
 */
function nameOf(name) {
  return {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': name.slice(name.indexOf(':') + 1),
  };
}

/** @param {Descriptor} descriptor */
function pathOf({ digest }) {
  return `blobs/${digest.replace(':', '/')}`;
}
