{{- define "kube-proxier.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
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
- name: xtables-lock
  mountPath: /run/xtables.lock
- name: lib-modules
  mountPath: /lib/modules
  readOnly: true
{{- end }}
