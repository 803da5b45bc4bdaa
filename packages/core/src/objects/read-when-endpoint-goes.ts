import { WHEN_ENDPOINT_GOES_ANNOTATION, type WhenEndpointGoes } from '../model/when-endpoint-goes.js';
import { printableValue } from '../text/printable.js';
import type { FieldReader } from './field-reader.js';

/** `kube-proxier.io/when-endpoint-goes` of a Service (spec R-1). An invalid value is reported and read as `keep`. */
export function readWhenEndpointGoes(
  reader: FieldReader,
  annotations: Readonly<Record<string, string>>,
): WhenEndpointGoes {
  const text = annotations[WHEN_ENDPOINT_GOES_ANNOTATION];
  const value = text?.trim();
  if (value === undefined || value === 'keep' || value === 'reset') {
    return value ?? 'keep';
  }
  reader.ignoreField(
    `metadata.annotations["${WHEN_ENDPOINT_GOES_ANNOTATION}"]`,
    `${printableValue(text)} is neither keep nor reset; connections are kept`,
  );
  return 'keep';
}
