{{- /* What the controller is told by the chart, as a list. */ -}}
{{- define "joinery.env" -}}
- name: KUBERNETES_MIN_VERSION
  value: "1.29.0-0"
- name: LOG_LEVEL
  value: {{ .Values.logLevel | quote }}
- name: METRICS_PORT
  value: {{ .Values.controller.metrics.port | quote }}
- name: HEALTH_PROBE_PORT
  value: {{ .Values.controller.healthProbe.port | quote }}
{{- if .Values.controller.dashboard.enabled }}
- name: JOINERY_DASHBOARD_ADDRESS
  value: "127.0.0.1:{{ .Values.controller.dashboard.port }}"
{{- end }}
- name: SYSTEM_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: CPU_REQUESTS
  valueFrom:
    resourceFieldRef:
      containerName: controller
      divisor: 1m
      resource: requests.cpu
- name: MEMORY_LIMIT
  valueFrom:
    resourceFieldRef:
      containerName: controller
      divisor: "1"
      resource: limits.memory
- name: FEATURE_GATES
  value: {{ include "joinery.featureGates" . | quote }}
- name: AWS_FEATURE_GATES
  value: NodeClassCEL={{ .Values.settings.awsFeatureGates.nodeClassCEL }}
{{- with .Values.settings }}
- name: CLUSTER_NAME
  value: {{ include "joinery.text" (list .clusterName $) | quote }}
{{- with .clusterEndpoint }}
- name: CLUSTER_ENDPOINT
  value: {{ include "joinery.text" (list . $) | quote }}
{{- end }}
{{- with .clusterCABundle }}
- name: CLUSTER_CA_BUNDLE
  value: {{ include "joinery.text" (list . $) | quote }}
{{- end }}
- name: ISOLATED_VPC
  value: {{ .isolatedVPC | quote }}
- name: EKS_CONTROL_PLANE
  value: {{ .eksControlPlane | quote }}
- name: VM_MEMORY_OVERHEAD_PERCENT
  value: {{ .vmMemoryOverheadPercent | quote }}
{{- with .interruptionQueue }}
- name: INTERRUPTION_QUEUE
  value: {{ include "joinery.text" (list . $) | quote }}
{{- end }}
- name: RESERVED_ENIS
  value: {{ include "joinery.text" (list .reservedENIs $) | quote }}
- name: DISABLE_DRY_RUN
  value: {{ .disableDryRun | quote }}
- name: ENABLE_ZONAL_SHIFT
  value: {{ .enableZonalShift | quote }}
- name: AMI_REFRESH_INTERVAL
  value: {{ include "joinery.text" (list .amiRefreshInterval $) | quote }}
- name: SUBNET_REFRESH_INTERVAL
  value: {{ include "joinery.text" (list .subnetRefreshInterval $) | quote }}
- name: BATCH_MAX_DURATION
  value: {{ include "joinery.text" (list .batchMaxDuration $) | quote }}
- name: BATCH_IDLE_DURATION
  value: {{ include "joinery.text" (list .batchIdleDuration $) | quote }}
- name: PREFERENCE_POLICY
  value: {{ .preferencePolicy | quote }}
- name: MIN_VALUES_POLICY
  value: {{ .minValuesPolicy | quote }}
- name: JOINERY_NOMINATE_PODS
  value: {{ .nominatePods | quote }}
{{- with .packing }}
- name: JOINERY_PACKING
  value: {{ . | quote }}
{{- end }}
- name: IGNORE_DRA_REQUESTS
  value: {{ .ignoreDRARequests | quote }}
- name: DISABLE_CLUSTER_STATE_OBSERVABILITY
  value: {{ .disableClusterStateObservability | quote }}
{{- end }}
{{- with .Values.webhook.severities }}
- name: JOINERY_RULE_SEVERITIES
  value: {{ include "joinery.severities" . | quote }}
{{- end }}
{{- end }}
