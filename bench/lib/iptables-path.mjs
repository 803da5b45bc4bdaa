import { symlinkSync } from 'node:fs';

/**
 * Links the programs of a variant of iptables under their plain names, as an image of kube-proxy has them.
 *
 * @param {string} directory where
 * @param {string} variant
 * @returns {string} a PATH that begins with it
 */
export function linkIptables(directory, variant) {
  for (const family of ['iptables', 'ip6tables']) {
    for (const suffix of ['', '-save', '-restore']) {
      symlinkSync(`/usr/sbin/${family}-${variant}${suffix}`, `${directory}/${family}${suffix}`);
    }
  }
  return `${directory}:${process.env.PATH}`;
}
