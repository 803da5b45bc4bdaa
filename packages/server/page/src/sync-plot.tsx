import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import type { SyncRecord } from '../../src/status/sync-history.js';

const HEIGHT = 180;

const fromZero = (_plot: UPlot, _least: number, most: number): [number, number] => [0, Math.max(1, most)];

/** Duration and size of the last syncs over time. */
export function SyncPlot({ syncs }: { readonly syncs: readonly SyncRecord[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  useEffect(() => {
    const element = place.current;
    if (!element) {
      return;
    }
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--faint'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { stroke: colour('--line') },
    };
    plot.current = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        scales: { y: { range: fromZero }, changes: { range: fromZero } },
        axes: [
          axis,
          { ...axis, label: 'sync, ms', labelSize: 20 },
          { ...axis, scale: 'changes', side: 1, label: 'service ports', labelSize: 20, grid: { show: false } },
        ],
        series: [
          {},
          { label: 'sync, ms', stroke: colour('--accent'), points: { size: 4 } },
          {
            label: 'service ports written',
            scale: 'changes',
            stroke: colour('--good'),
            paths: () => null,
            points: { show: true, size: 4 },
          },
        ],
      },
      [[], [], []],
      element,
    );
    const resize = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => {
    plot.current?.setData([
      syncs.map(({ time }) => Date.parse(time) / 1000),
      syncs.map(({ milliseconds }) => milliseconds),
      syncs.map(({ servicePorts }) => servicePorts),
    ]);
  }, [syncs]);
  return <div ref={place} />;
}
