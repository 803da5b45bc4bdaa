{{- define "kube-proxier.flavour" -}}
kube-proxier{{ if .Values.nonRoot.enabled }}-nftables{{ end }}
{{- end }}

{{- define "kube-proxier.image" -}}
{{ .Values.image.repository | default (include "kube-proxier.flavour" .) }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "kube-proxier.env" -}}
- name: NODE_NAME
  valueFrom:
    fieldRef:
      fieldPath: spec.nodeName
- name: KUBERNETES_SERVICE_HOST
  valueFrom:
    configMapKeyRef:
      name: kube-proxier
      key: KUBERNETES_SERVICE_HOST
- name: KUBERNETES_SERVICE_PORT
  valueFrom:
    configMapKeyRef:
      name: kube-proxier
      key: KUBERNETES_SERVICE_PORT
{{- end }}

{{- define "kube-proxier.volumeMounts" -}}
- name: config
  mountPath: /var/lib/kube-proxier
  readOnly: true
{{- if not .Values.nonRoot.enabled }}
- name: xtables-lock
  mountPath: /run/xtables.lock
- name: lib-modules
  mountPath: /lib/modules
  readOnly: true
{{- end }}
{{- end }}

{{- /* Where `config.healthzBindAddress` is served: the port of the probes, and their host where that is a loopback address. */ -}}
{{- define "kube-proxier.healthPort" -}}
{{ regexFind "[0-9]+$" (regexFind "(^[0-9.]*|[^:0-9a-fA-F.]):[0-9]+$" (default "" .Values.config.healthzBindAddress)) | default "10256" }}
{{- end }}

{{- define "kube-proxier.healthHost" -}}
{{ regexFind "^127[0-9.]+" (default "" .Values.config.healthzBindAddress) }}
{{- if regexMatch "^.?::1(.:[0-9]+)?$" (default "" .Values.config.healthzBindAddress) }}::1{{ end }}
{{- end }}

{{- define "kube-proxier.metricsAddress" -}}
{{ if contains ":" .Values.metrics.bindAddress }}[{{ .Values.metrics.bindAddress }}]{{ else }}{{ .Values.metrics.bindAddress }}{{ end }}:{{ .Values.metrics.port }}
{{- end }}

{{- define "kube-proxier.metricsArgs" -}}
- --metrics-scrape-bind-address={{ include "kube-proxier.metricsAddress" . }}
- --metrics-scrape-access={{ .Values.metrics.access }}
- --metrics-scrape-tls={{ .Values.metrics.tls }}
{{- if .Values.metrics.tlsSecretName }}
- --metrics-scrape-tls-cert-file=/etc/kube-proxier/metrics-tls/tls.crt
- --metrics-scrape-tls-private-key-file=/etc/kube-proxier/metrics-tls/tls.key
{{- end }}
{{- end }}

{{- define "kube-proxier.isReviewed" -}}
{{ if and .Values.metrics.enabled (eq .Values.metrics.access "authorized") }}true{{ end }}
{{- end }}

{{- define "kube-proxier.makesToken" -}}
{{ if and .Values.podMonitor.enabled (include "kube-proxier.isReviewed" .) (not .Values.podMonitor.tokenSecretName) }}true{{ end }}
{{- end }}

{{- /* The directories of the node that fields of `proxierConfig` name. */ -}}
{{- define "kube-proxier.nodeDirectories" -}}
{{- range uniq (.Values.proxierConfig.manifests | default (list)) }}
- name: manifests-{{ sha256sum . | trunc 8 }}
  field: manifests
  path: {{ . | quote }}
  type: Directory
{{- end }}
{{- with .Values.proxierConfig.healthChecks }}
{{- with .scripts }}
- name: health-check-scripts
  field: healthChecks.scripts
  path: {{ . | quote }}
  type: Directory
{{- end }}
{{- end }}
{{- with .Values.proxierConfig.recording }}
{{- with .directory }}
- name: recording
  field: recording.directory
  path: {{ . | quote }}
  type: DirectoryOrCreate
{{- end }}
{{- end }}
{{- end }}

{{- /* Whether one of `mounts` provides `path`. */ -}}
{{- define "kube-proxier.isMounted" -}}
{{- range .mounts }}
{{- if hasPrefix (printf "%s/" (trimSuffix "/" .mountPath)) (printf "%s/" $.path) }}true{{ end }}
{{- end }}
{{- end }}
