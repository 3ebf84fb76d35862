import type { KubeObject } from './object.ts'

export interface Service extends KubeObject {
  spec: { selector?: Record<string, string>; clusterIP?: string; ports?: unknown[]; [field: string]: unknown }
  status?: { loadBalancer?: { ingress?: { hostname?: string; ip?: string }[] } }
}
