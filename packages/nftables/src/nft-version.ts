import { type CommandRunner, createNft, NftError } from '@kube-proxier/linux';

/** The first nft that can write the rules of this backend, and read its table back as it is. */
export const REQUIRED_NFT = '1.0.6';

/**
 * The version of the program nft.
 *
 * @returns undefined where it is not installed.
 * @throws NftError when it cannot be run.
 */
export async function nftVersion(runner: CommandRunner): Promise<string | undefined> {
  const nft = createNft({ runner });
  try {
    return await nft.version();
  } catch (error) {
    if (error instanceof NftError && error.code === 'NFT_MISSING') {
      return undefined;
    }
    throw error;
  } finally {
    nft.close();
  }
}

/** Whether a version is before {@link REQUIRED_NFT}. Pure. */
export function isTooOld(version: string): boolean {
  const required = REQUIRED_NFT.split('.').map(Number);
  const given = version.split('.').map(Number);
  const differing = required.findIndex((part, index) => part !== (given[index] ?? 0));
  return differing >= 0 && (given[differing] ?? 0) < (required[differing] ?? 0);
}
