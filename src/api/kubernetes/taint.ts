export interface Taint {
  key: string
  value?: string
  effect: TaintEffect
  timeAdded?: string
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'

/** Empty texts mean what missing fields do. The API server leaves them out; manifests in files may have them. */
export interface Toleration {
  key?: string
  operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt' | ''
  value?: string
  effect?: TaintEffect | ''
  tolerationSeconds?: number
}
