/**
 * As kubectl prints an age: the largest unit, two for small numbers.
 *
 * @param since milliseconds since the epoch; 0 for unknown.
 * @param now milliseconds since the epoch.
 */
export function formatAge(since: number, now: number): string {
  const seconds = Math.floor((now - since) / 1000);
  if (since <= 0 || seconds < 0) {
    return '<unknown>';
  }
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) {
    return `${seconds}s`;
  }
  if (minutes < 10) {
    return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  }
  if (hours < 3) {
    return `${minutes}m`;
  }
  if (hours < 8) {
    return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  }
  if (hours < 48) {
    return `${hours}h`;
  }
  if (days < 8) {
    return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  }
  if (days < 730) {
    return `${days}d`;
  }
  return `${Math.floor(days / 365)}y`;
}
