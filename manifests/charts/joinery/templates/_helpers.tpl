{{- define "joinery.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "joinery.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "joinery.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "joinery.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "joinery.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "joinery.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- /* What an environment variable of the controller, `name`, is set to in the values, or `default`. */ -}}
{{- define "joinery.controllerEnv" -}}
{{- $value := .default }}
{{- $name := .name }}
{{- range .root.Values.controller.env }}
{{- if and (eq .name $name) .value }}{{ $value = .value }}{{ end }}
{{- end }}
{{- $value }}
{{- end }}

{{- /* The rights on the lease go with the name and the namespace that the controller is told. */ -}}
{{- define "joinery.leaseName" -}}
{{- include "joinery.controllerEnv" (dict "root" . "name" "LEADER_ELECTION_NAME" "default" "karpenter-leader-election") }}
{{- end }}

{{- define "joinery.leaseNamespace" -}}
{{- include "joinery.controllerEnv" (dict "root" . "name" "LEADER_ELECTION_NAMESPACE" "default" .Release.Namespace) }}
{{- end }}

{{- define "joinery.leaseRules" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "joinery.leaseName" . }}]
  verbs: [get, update]
{{- end }}

{{- define "joinery.image" -}}
{{- with .Values.controller.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end }}
{{- end }}

{{- /* `app.kubernetes.io/name: karpenter` on pods, so that the log commands of existing runbooks find them. */ -}}
{{- define "joinery.selectorLabels" -}}
app.kubernetes.io/name: karpenter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* Not karpenter's: `kubectl logs -l app.kubernetes.io/name=karpenter -c controller` must not meet a pod without that container. */ -}}
{{- define "joinery.webhookSelectorLabels" -}}
app.kubernetes.io/name: joinery-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: webhook
{{- end }}

{{- define "joinery.labels" -}}
{{- include "joinery.labelsWith" (dict "root" .) }}
{{- end }}

{{- /* The labels of an object, each once: `own`, then those by which it is found, those of all objects, and the chart's. A version may have
a `+`, as Flux makes them of a chart in Git, which a label may not. */ -}}
{{- define "joinery.labelsWith" -}}
{{- $found := include "joinery.selectorLabels" .root | fromYaml }}
{{- $chart := dict "app.kubernetes.io/part-of" "joinery" "app.kubernetes.io/managed-by" .root.Release.Service }}
{{- $name := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- $_ := set $chart "helm.sh/chart" ($name | trunc 63 | trimSuffix "-") }}
{{- $_ := set $chart "app.kubernetes.io/version" (.root.Chart.AppVersion | replace "+" "_") }}
{{- toYaml (merge (dict) (.own | default dict) $found (.root.Values.additionalLabels | default dict) $chart) }}
{{- end }}

{{- /* In `metadata`: the annotations of all objects, and `own`, which go before them. */ -}}
{{- define "joinery.annotations" }}
{{- with merge (dict) (.own | default dict) (.root.Values.additionalAnnotations | default dict) }}
  annotations:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}

{{- /* Of a container, with the profiles and options that it is given. Nothing else can be: what it may not do stays as it is. */ -}}
{{- define "joinery.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
capabilities:
  drop: [ALL]
seccompProfile:
  {{- toYaml (default (dict "type" "RuntimeDefault") .seccompProfile) | nindent 2 }}
{{- with .appArmorProfile }}
appArmorProfile:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .seLinuxOptions }}
seLinuxOptions:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* In the `spec` of a ServiceMonitor; 0 means no limit, so it is said, too. */ -}}
{{- define "joinery.sampleLimit" }}
{{- with .Values.serviceMonitor }}
{{- if not (kindIs "invalid" .sampleLimit) }}
  sampleLimit: {{ int64 .sampleLimit }}
{{- end }}
{{- end }}
{{- end }}

{{- /* How the endpoints of ServiceMonitors are scraped: `endpointConfig` goes before the values that have names of their own. */ -}}
{{- define "joinery.endpoint" -}}
{{- with .Values.serviceMonitor }}
{{- $endpoint := dict "interval" .interval }}
{{- with .relabelings }}{{ $_ := set $endpoint "relabelings" . }}{{ end }}
{{- with .metricRelabelings }}{{ $_ := set $endpoint "metricRelabelings" . }}{{ end }}
{{- toYaml (merge (dict) (.endpointConfig | default dict) $endpoint) }}
{{- end }}
{{- end }}

{{- /* A setting that is text, and the root: it may be a template, as in Karpenter's chart. */ -}}
{{- define "joinery.text" -}}
{{- $text := first . }}
{{- if not (kindIs "invalid" $text) }}{{ tpl (toString $text) (last .) }}{{ end }}
{{- end }}

{{- define "joinery.featureGates" -}}
{{- $g := .Values.settings.featureGates -}}
NodeRepair={{ $g.nodeRepair }},ReservedCapacity={{ $g.reservedCapacity }},SpotToSpotConsolidation={{ $g.spotToSpotConsolidation }},NodeOverlay={{ $g.nodeOverlay }},StaticCapacity={{ $g.staticCapacity }},CapacityBuffer={{ $g.capacityBuffer }}
{{- end }}

{{/* Severities of rules as one text: JN-207=off,JN-208=deny. */}}
{{- define "joinery.severities" -}}
{{- $pairs := list -}}
{{- range $rule, $level := . }}{{ $pairs = append $pairs (printf "%s=%s" $rule $level) }}{{ end -}}
{{- join "," $pairs -}}
{{- end }}
