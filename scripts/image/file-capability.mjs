/**
 * File capabilities in a layer: an extended header of PAX before the file, with the attribute that container runtimes set when they
 * unpack it. GNU tar would copy the attribute from a file of the builder, which only root can set.
 */

const BLOCK = 512;
/** As setcap(8) writes `cap_net_admin+p`, version 2 of the attribute. */
const REVISION_2 = 0x0200_0000;
const CAP_NET_ADMIN = 12;

/** Where the fields of a header are that is written or read here, and how long they are. */
const FIELDS = /** @type {const} */ ({
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  time: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
});

/**
 * The attribute `security.capability` for a program that is permitted CAP_NET_ADMIN. Without the flag `effective`, with which the
 * kernel refuses to start the program where the bounding set lacks the capability: `--version` and `doctor` work everywhere.
 */
export function netAdminPermitted() {
  const value = Buffer.alloc(20);
  value.writeUInt32LE(REVISION_2, 0);
  value.writeUInt32LE(1 << CAP_NET_ADMIN, 4);
  return value;
}

/**
 * The archive with the file capability for one of its files.
 *
 * @param {Buffer} tar an archive in the format ustar
 * @param {string} path as the archive names it
 * @returns {Buffer}
 * @throws Error when it has no such file.
 */
export function withFileCapability(tar, path) {
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(textAt(tar, at, 'size'), 8);
    if (textAt(tar, at, 'name') === path && textAt(tar, at, 'type') === '0') {
      const extension = extendedHeader(tar, at, path);
      return Buffer.concat([tar.subarray(0, at), extension, tar.subarray(at)]);
    }
    at += BLOCK + paddedSize(size);
  }
  throw new Error(`the layer has no file ${path} to give a capability to`);
}

/**
 * @param {Buffer} tar
 * @param {number} at the header of the file
 * @param {string} path
 */
function extendedHeader(tar, at, path) {
  const record = paxRecord('SCHILY.xattr.security.capability', netAdminPermitted());
  const header = Buffer.alloc(BLOCK);
  const set = (/** @type {keyof typeof FIELDS} */ field, /** @type {string} */ text) =>
    header.write(text, FIELDS[field][0], FIELDS[field][1], 'latin1');
  const octal = (/** @type {number} */ number, /** @type {number} */ digits) =>
    `${number.toString(8).padStart(digits, '0')}\0`;
  set('name', `./PaxHeaders/${path.slice(path.lastIndexOf('/') + 1)}`);
  set('mode', octal(0o644, 7));
  set('uid', octal(0, 7));
  set('gid', octal(0, 7));
  set('size', octal(record.length, 11));
  set('time', textAt(tar, at, 'time'));
  set('type', 'x');
  set('magic', 'ustar\u000000');
  set('checksum', ' '.repeat(8));
  const sum = header.reduce((total, byte) => total + byte, 0);
  set('checksum', `${octal(sum, 6)} `);
  const contents = Buffer.alloc(paddedSize(record.length));
  record.copy(contents);
  return Buffer.concat([header, contents]);
}

/**
 * `LENGTH KEYWORD=VALUE` and a line feed; the length counts itself.
 *
 * @param {string} keyword
 * @param {Buffer} value
 */
function paxRecord(keyword, value) {
  const rest = Buffer.concat([Buffer.from(` ${keyword}=`), value, Buffer.from('\n')]);
  let length = rest.length;
  while (length !== rest.length + String(length).length) {
    length = rest.length + String(length).length;
  }
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

/** @param {number} size */
function paddedSize(size) {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/**
 * @param {Buffer} tar
 * @param {number} at
 * @param {keyof typeof FIELDS} field
 */
function textAt(tar, at, field) {
  const [start, length] = FIELDS[field];
  return tar.toString('latin1', at + start, at + start + length).replace(/[\0 ].*$/s, '');
}
