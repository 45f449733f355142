{{- define "platform-services.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $both .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "platform-services.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "platform-services.labels" -}}
{{ include "platform-services.selector" . }}
app.kubernetes.io/version: {{ default .Chart.AppVersion .Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "platform-services.serviceAccount" -}}
{{- default (ternary (include "platform-services.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{/* Formats a setting as text: YAML reads 5497558138880 as a number, which must not become 5.497558e+12. */}}
{{- define "platform-services.text" -}}
{{- if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/* Paths for clients: all but /metrics, /health and /admin. The root is that of WebSockets. */}}
{{- define "platform-services.paths" -}}
{{- range list "/file-management" "/document-rendering" "/websockets-manager" "/document-log" "/email" "/mcp" "/v1" "/openapi.json" "/.well-known/platform-services" }}
- path: {{ . }}
  pathType: Prefix
  backend: { service: { name: {{ include "platform-services.fullname" $ }}, port: { name: http } } }
{{- end }}
- path: /
  pathType: Exact
  backend: { service: { name: {{ include "platform-services.fullname" . }}, port: { name: http } } }
{{- end -}}

{{/* Refuses unusable values before anything is installed. */}}
{{- define "platform-services.check" -}}
{{- $needed := list "DATABASE_URL" "SECRET_KEY" "REDIS_URL" -}}
{{- $several := "Several nodes need PostgreSQL, an S3 store and Redis, and a rolling update has several: set" -}}
{{- if and .Values.existingSecret .Values.secrets -}}
{{- fail "Set either secrets or existingSecret, not both: existingSecret replaces secrets." -}}
{{- end -}}
{{- $_ := required "image.repository must name the image: no image is published, so build and push your own." .Values.image.repository -}}
{{- $_ := required "config.PUBLIC_URL must be the URL that clients use, such as https://platform.example.com." .Values.config.PUBLIC_URL -}}
{{- $_ := required (printf "%s config.S3_ENDPOINT to the URL of the store." $several) (or .Values.config.S3_ENDPOINT .Values.config.MINIO_ENDPOINT) -}}
{{- range $name := list "DATABASE_URL" "SECRET_KEY" "SECRET_KEYS_OLD" "S3_SECRET_KEY" "MINIO_SECRET_KEY" "BOOTSTRAP_API_KEY" -}}
{{- if hasKey $.Values.config $name -}}
{{- fail (printf "%s is secret: give it in secrets or in existingSecret, not in config." $name) -}}
{{- end -}}
{{- end -}}
{{- range $name := $needed -}}
{{- if not (or $.Values.existingSecret (get $.Values.secrets $name) (get $.Values.config $name)) -}}
{{- fail (printf "%s secrets.%s, or existingSecret to a Secret that has it." $several $name) -}}
{{- end -}}
{{- end -}}
{{- if not .Values.existingSecret -}}
{{- if not (regexMatch "^postgres(ql)?://" (toString .Values.secrets.DATABASE_URL)) -}}
{{- fail (printf "%s secrets.DATABASE_URL to postgresql://USER:PASSWORD@HOST:PORT/NAME; SQLite belongs to one node." $several) -}}
{{- end -}}
{{- if lt (len (toString .Values.secrets.SECRET_KEY)) 32 -}}
{{- fail "secrets.SECRET_KEY must have 32 bytes or more, for example from: openssl rand -hex 32" -}}
{{- end -}}
{{- end -}}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) -}}
{{- fail "autoscaling.minReplicas must not be above autoscaling.maxReplicas." -}}
{{- end -}}
{{- end -}}
