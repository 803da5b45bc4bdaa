import { type Diagnosis, hasErrorKind, messageOf } from '@kube-proxier/core';
import { REQUIRED_NFT } from './nft-version.js';
import type { AcceptedLayout, HostSupport, OwnedTable } from './probe.js';

/** See `BackendModule.diagnose`. */
export async function diagnose(support: HostSupport, ownedTable: OwnedTable): Promise<readonly Diagnosis[]> {
  return [
    await diagnoseAccess(support),
    await diagnoseLayout(support),
    ...(await diagnoseProgram(support)),
    ...(await diagnoseCounting(support)),
    ...(ownedTable === 'never' ? [] : [await diagnoseOwnership(support)]),
  ];
}

async function diagnoseAccess(support: HostSupport): Promise<Diagnosis> {
  const check = 'nftables access';
  try {
    return { check, status: 'ok', found: await support.access() };
  } catch (error) {
    return hasErrorKind(error, 'permission-denied')
      ? { check, status: 'unknown', found: messageOf(error), advice: 'run doctor as root' }
      : {
          check,
          status: 'problem',
          found: messageOf(error),
          advice: 'allow netlink sockets (seccomp), or install nftables',
        };
  }
}

async function diagnoseLayout(support: HostSupport): Promise<Diagnosis> {
  const check = 'nftables layout';
  try {
    const { layout, reason } = await support.layout();
    return reason === undefined
      ? { check, status: 'ok', found: `${layout}: every kind of rule is accepted, for IPv4 and IPv6` }
      : {
          check,
          status: 'warning',
          found: `a chain per Service, as the ruleset that does not grow is refused: ${reason}`,
          advice: 'use a newer nft and kernel to have changes cost the same in large clusters',
        };
  } catch (error) {
    return hasErrorKind(error, 'permission-denied')
      ? { check, status: 'unknown', found: messageOf(error), advice: 'run doctor as root' }
      : {
          check,
          status: 'problem',
          found: `is refused: ${messageOf(error)}`,
          advice: 'use a newer nft and kernel, or another mode',
        };
  }
}

/** Reports only a program that the agent does not use, and whose listings mislead. */
async function diagnoseProgram(support: HostSupport): Promise<readonly Diagnosis[]> {
  const old = await support.oldProgram().catch(() => undefined);
  return old === undefined || old.isUsed
    ? []
    : [
        {
          check: 'nftables program',
          status: 'warning',
          found: `nft ${old.version} shows some maps of the table with other types, and cannot load a listing of a newer nft; the agent does not need it`,
          advice: `use nft ${REQUIRED_NFT} or newer to look at the table; --nftables-program=nft does not work with this one`,
        },
      ];
}

/** Reports only missing support for counting per endpoint. */
async function diagnoseCounting(support: HostSupport): Promise<readonly Diagnosis[]> {
  const check = 'nftables counters of endpoints';
  const { countingRefusal } = await support.layout().catch((): Partial<AcceptedLayout> => ({}));
  return countingRefusal === undefined
    ? []
    : [
        {
          check,
          status: 'warning',
          found: `only connections to Services can be counted, and nothing for each endpoint: ${countingRefusal}`,
          advice: 'use a newer nft and kernel where that is wanted',
        },
      ];
}

async function diagnoseOwnership(support: HostSupport): Promise<Diagnosis> {
  const check = 'nftables owned table';
  try {
    const { flags, reason } = await support.tableFlags();
    if (reason === undefined) {
      return { check, status: 'ok', found: `${flags?.join(', ')}: only this program can change its table` };
    }
    return {
      check,
      status: 'warning',
      found:
        flags === undefined
          ? `any privileged process can change the table: ${reason}`
          : `only this program can change its table, and the table is removed whenever it ends: ${reason}`,
      advice: 'use nft 1.1.0 and Linux 6.9, or newer ones',
    };
  } catch (error) {
    return hasErrorKind(error, 'permission-denied')
      ? { check, status: 'unknown', found: messageOf(error), advice: 'run doctor as root' }
      : { check, status: 'problem', found: messageOf(error), advice: 'see the result of the check nftables layout' };
  }
}
