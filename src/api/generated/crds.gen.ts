// Generated from schemas/ by `npm run generate`. Do not edit.
import type { CustomResourceDefinition } from '../custom-resource-definition.ts'

/** The CustomResourceDefinitions of manifests/crds, for processes that cannot read files. */
export const customResourceDefinitions: readonly CustomResourceDefinition[] = [
 {
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
   "name": "capacitybuffers.autoscaling.x-k8s.io"
  },
  "spec": {
   "group": "autoscaling.x-k8s.io",
   "names": {
    "categories": [
     "autoscaling"
    ],
    "kind": "CapacityBuffer",
    "listKind": "CapacityBufferList",
    "plural": "capacitybuffers",
    "shortNames": [
     "cb"
    ],
    "singular": "capacitybuffer"
   },
   "scope": "Namespaced",
   "versions": [
    {
     "name": "v1beta1",
     "served": true,
     "storage": true,
     "additionalPrinterColumns": [
      {
       "name": "Strategy",
       "type": "string",
       "jsonPath": ".spec.provisioningStrategy",
       "description": "How the capacity is provided."
      },
      {
       "name": "PodTemplate",
       "type": "string",
       "jsonPath": ".status.podTemplateRef.name",
       "description": "The pod template in use."
      },
      {
       "name": "Replicas",
       "type": "integer",
       "jsonPath": ".status.replicas",
       "description": "How many pods there is room for."
      },
      {
       "name": "ConditionsType",
       "type": "string",
       "jsonPath": ".status.conditions[*].type",
       "description": "Types of the conditions."
      },
      {
       "name": "ConditionsStatus",
       "type": "string",
       "jsonPath": ".status.conditions[*].status",
       "description": "Statuses of the conditions."
      },
      {
       "name": "ConditionsReason",
       "type": "string",
       "jsonPath": ".status.conditions[*].reason",
       "description": "Reasons of the conditions."
      },
      {
       "name": "Age",
       "type": "date",
       "jsonPath": ".metadata.creationTimestamp"
      }
     ],
     "schema": {
      "openAPIV3Schema": {
       "description": "A CapacityBuffer keeps room free for pods that do not exist yet.",
       "type": "object",
       "required": [
        "spec"
       ],
       "properties": {
        "apiVersion": {
         "description": "Version of the API that the object is written in.",
         "type": "string"
        },
        "kind": {
         "description": "Kind of the object.",
         "type": "string"
        },
        "metadata": {
         "type": "object"
        },
        "spec": {
         "description": "How much room is wanted, and for pods of which shape.",
         "type": "object",
         "properties": {
          "provisioningStrategy": {
           "description": "How the room is provided. Buffers with a strategy other than the default are left to others.",
           "type": "string",
           "default": "buffer.x-k8s.io/active-capacity"
          },
          "podTemplateRef": {
           "description": "A PodTemplate in the same namespace.",
           "type": "object",
           "required": [
            "name"
           ],
           "properties": {
            "name": {
             "description": "Name of the PodTemplate.",
             "type": "string",
             "minLength": 1
            }
           }
          },
          "scalableRef": {
           "description": "A Deployment, StatefulSet or ReplicaSet in the same namespace.",
           "type": "object",
           "required": [
            "kind",
            "name"
           ],
           "properties": {
            "apiGroup": {
             "description": "API group of the object.",
             "type": "string"
            },
            "kind": {
             "description": "Kind of the object.",
             "type": "string",
             "minLength": 1
            },
            "name": {
             "description": "Name of the object.",
             "type": "string",
             "minLength": 1
            }
           }
          },
          "replicas": {
           "description": "Room for this many pods.",
           "type": "integer",
           "format": "int32",
           "minimum": 0
          },
          "percentage": {
           "description": "Room for this share of the scalable object's replicas; with replicas set as well, the greater of both.",
           "type": "integer",
           "format": "int32",
           "minimum": 0
          },
          "limits": {
           "description": "Upper bound for the room, by resource.",
           "type": "object",
           "additionalProperties": {
            "description": "A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.",
            "x-kubernetes-int-or-string": true,
            "anyOf": [
             {
              "type": "integer"
             },
             {
              "type": "string"
             }
            ],
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
           }
          }
         },
         "x-kubernetes-validations": [
          {
           "rule": "!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)",
           "message": "If podTemplateRef is set, replicas or limits must also be set"
          },
          {
           "rule": "!has(self.podTemplateRef) || !has(self.scalableRef)",
           "message": "You must define either PodTemplateRef or ScalableRef, but not both"
          }
         ]
        },
        "status": {
         "description": "What was observed.",
         "type": "object",
         "properties": {
          "podTemplateRef": {
           "description": "The pod template in use.",
           "type": "object",
           "properties": {
            "name": {
             "description": "Name of the PodTemplate.",
             "type": "string"
            }
           }
          },
          "podTemplateGeneration": {
           "description": "Generation of the pod template in use.",
           "type": "integer",
           "format": "int64"
          },
          "replicas": {
           "description": "How many pods there is to be room for.",
           "type": "integer",
           "format": "int32"
          },
          "provisioningStrategy": {
           "description": "The strategy in use.",
           "type": "string"
          },
          "conditions": {
           "description": "Conditions of the object; Ready sums up the others.",
           "type": "array",
           "items": {
            "description": "One aspect of the observed state.",
            "type": "object",
            "required": [
             "lastTransitionTime",
             "message",
             "reason",
             "status",
             "type"
            ],
            "properties": {
             "type": {
              "description": "Type of the condition.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
              "maxLength": 316
             },
             "status": {
              "description": "Whether the condition holds.",
              "type": "string",
              "enum": [
               "True",
               "False",
               "Unknown"
              ]
             },
             "lastTransitionTime": {
              "description": "When status last changed.",
              "type": "string",
              "format": "date-time"
             },
             "observedGeneration": {
              "description": "The metadata.generation that the condition was computed from.",
              "type": "integer",
              "format": "int64",
              "minimum": 0
             },
             "reason": {
              "description": "Why the condition has this status, in one word.",
              "type": "string",
              "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
              "minLength": 1,
              "maxLength": 1024
             },
             "message": {
              "description": "The same for a reader; may be empty.",
              "type": "string",
              "maxLength": 32768
             }
            }
           },
           "x-kubernetes-list-type": "map",
           "x-kubernetes-list-map-keys": [
            "type"
           ]
          }
         }
        }
       }
      }
     },
     "subresources": {
      "status": {}
     }
    }
   ]
  }
 },
 {
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
   "name": "rolloutpolicies.joinery.dev"
  },
  "spec": {
   "group": "joinery.dev",
   "names": {
    "categories": [
     "karpenter",
     "joinery"
    ],
    "kind": "RolloutPolicy",
    "listKind": "RolloutPolicyList",
    "plural": "rolloutpolicies",
    "shortNames": [
     "rop"
    ],
    "singular": "rolloutpolicy"
   },
   "scope": "Cluster",
   "versions": [
    {
     "name": "v1alpha1",
     "served": true,
     "storage": true,
     "additionalPrinterColumns": [
      {
       "name": "Mode",
       "type": "string",
       "jsonPath": ".spec.mode"
      },
      {
       "name": "Phase",
       "type": "string",
       "jsonPath": ".status.phase"
      },
      {
       "name": "Updated",
       "type": "integer",
       "jsonPath": ".status.updatedNodes"
      },
      {
       "name": "Total",
       "type": "integer",
       "jsonPath": ".status.totalNodes"
      },
      {
       "name": "Ready",
       "type": "string",
       "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"
      },
      {
       "name": "Age",
       "type": "date",
       "jsonPath": ".metadata.creationTimestamp"
      },
      {
       "name": "Reason",
       "type": "string",
       "jsonPath": ".status.reason",
       "priority": 1
      },
      {
       "name": "Paused-Until",
       "type": "string",
       "jsonPath": ".spec.pausedUntil",
       "priority": 1
      }
     ],
     "schema": {
      "openAPIV3Schema": {
       "description": "A RolloutPolicy says how a changed NodePool or node class, or a new image, reaches the nodes: in which steps, when, and what stops it.",
       "type": "object",
       "required": [
        "spec"
       ],
       "properties": {
        "apiVersion": {
         "description": "Version of the API that the object is written in.",
         "type": "string"
        },
        "kind": {
         "description": "Kind of the object.",
         "type": "string"
        },
        "metadata": {
         "type": "object"
        },
        "spec": {
         "description": "What is wanted.",
         "type": "object",
         "required": [
          "nodePoolSelector"
         ],
         "properties": {
          "nodePoolSelector": {
           "description": "Selects NodePools by name, or by their labels. An empty selector selects all. Of several policies that select a pool the oldest governs it, and the others say so.",
           "type": "object",
           "properties": {
            "names": {
             "description": "Names of the pools.",
             "type": "array",
             "minItems": 1,
             "maxItems": 100,
             "items": {
              "type": "string",
              "minLength": 1,
              "maxLength": 253
             },
             "x-kubernetes-list-type": "set"
            },
            "matchLabels": {
             "description": "Labels that a pool must have.",
             "type": "object",
             "maxProperties": 50,
             "additionalProperties": {
              "type": "string",
              "maxLength": 63
             }
            },
            "matchExpressions": {
             "description": "Constraints that a pool's labels must meet.",
             "type": "array",
             "maxItems": 50,
             "items": {
              "description": "One constraint on a label of NodePools.",
              "type": "object",
              "required": [
               "key",
               "operator"
              ],
              "properties": {
               "key": {
                "description": "The label.",
                "type": "string",
                "maxLength": 316
               },
               "operator": {
                "description": "How the label relates to the values.",
                "type": "string",
                "enum": [
                 "In",
                 "NotIn",
                 "Exists",
                 "DoesNotExist"
                ]
               },
               "values": {
                "description": "Values for In and NotIn.",
                "type": "array",
                "maxItems": 100,
                "items": {
                 "type": "string",
                 "maxLength": 63
                },
                "x-kubernetes-list-type": "atomic"
               }
              },
              "x-kubernetes-validations": [
               {
                "rule": "self.operator in ['In', 'NotIn'] ? (has(self.values) && self.values.size() > 0) : (!has(self.values) || self.values.size() == 0)",
                "message": "'values' must be given with operators 'In' and 'NotIn', and only with these"
               }
              ]
             },
             "x-kubernetes-list-type": "atomic"
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "!has(self.names) || (!has(self.matchLabels) && !has(self.matchExpressions))",
             "message": "'names' is mutually exclusive with 'matchLabels' and 'matchExpressions'"
            }
           ]
          },
          "mode": {
           "description": "Automatic replaces drifted nodes by itself. Approve waits until the target is approved. NewNodesOnly leaves present nodes alone: only new ones are made in the new way. Observe reports and holds nothing.",
           "type": "string",
           "default": "Automatic",
           "enum": [
            "Automatic",
            "Approve",
            "NewNodesOnly",
            "Observe"
           ]
          },
          "steps": {
           "description": "Parts of the rollout, in order. After the last step the remaining nodes follow. Absent: one step with all nodes.",
           "type": "array",
           "maxItems": 20,
           "items": {
            "description": "How far the rollout goes before it soaks.",
            "type": "object",
            "required": [
             "nodes"
            ],
            "properties": {
             "nodes": {
              "description": "Nodes of the new revision at the end of the step, counted from the start of the rollout: a number or a percentage, rounded up.",
              "x-kubernetes-int-or-string": true,
              "anyOf": [
               {
                "type": "integer"
               },
               {
                "type": "string"
               }
              ],
              "pattern": "^((100|[1-9][0-9]?)%|[1-9][0-9]*)$",
              "x-kubernetes-validations": [
               {
                "rule": "type(self) == int ? self >= 1 : true",
                "message": "nodes must be at least 1"
               }
              ]
             },
             "soak": {
              "description": "How long the gates must hold after the step, with its nodes in service, before the next begins.",
              "type": "string",
              "pattern": "^([0-9]+(s|m|h))+$",
              "maxLength": 32
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "order": {
           "description": "Which nodes go first. It orders, it does not wait: a node that nothing can move now is passed over.",
           "type": "object",
           "required": [
            "by"
           ],
           "properties": {
            "by": {
             "description": "LeastDisruption takes idle nodes first, then those that drifted first; Age the oldest; Zone, NodePool and Label group by value before that.",
             "type": "string",
             "enum": [
              "LeastDisruption",
              "Age",
              "Zone",
              "NodePool",
              "Label"
             ]
            },
            "label": {
             "description": "Label of the nodes that groups them.",
             "type": "string",
             "minLength": 1,
             "maxLength": 316
            },
            "first": {
             "description": "Values whose nodes go first, in this order. The others follow by value.",
             "type": "array",
             "maxItems": 100,
             "items": {
              "type": "string",
              "maxLength": 253
             },
             "x-kubernetes-list-type": "set"
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "(self.by == 'Label') == has(self.label)",
             "message": "'label' must be given with by: Label, and only with this"
            }
           ]
          },
          "gates": {
           "description": "What must hold for the rollout to go on. A gate that is found shut fails the rollout; see onFailure.",
           "type": "object",
           "properties": {
            "nodeReadyTimeout": {
             "description": "How long a new node may take to become ready before it counts as failed.",
             "type": "string",
             "default": "15m",
             "pattern": "^([0-9]+(s|m|h))+$",
             "maxLength": 32
            },
            "maxFailedNodes": {
             "description": "How many new nodes may fail to launch, register or become ready in a step before the rollout fails: a number or a percentage of the step, rounded up. A lack of capacity is no failure.",
             "x-kubernetes-int-or-string": true,
             "anyOf": [
              {
               "type": "integer"
              },
              {
               "type": "string"
              }
             ],
             "default": 0,
             "pattern": "^((100|[0-9]{1,2})%|[0-9]+)$",
             "x-kubernetes-validations": [
              {
               "rule": "type(self) == int ? self >= 0 : true",
               "message": "maxFailedNodes must be at least 0"
              }
             ]
            },
            "maxUnhealthyNodes": {
             "description": "How many nodes of the new revision that were ready once may be not ready at once. More hold the rollout; a node that stays so for nodeReadyTimeout counts as failed.",
             "x-kubernetes-int-or-string": true,
             "anyOf": [
              {
               "type": "integer"
              },
              {
               "type": "string"
              }
             ],
             "default": 0,
             "pattern": "^((100|[0-9]{1,2})%|[0-9]+)$",
             "x-kubernetes-validations": [
              {
               "rule": "type(self) == int ? self >= 0 : true",
               "message": "maxUnhealthyNodes must be at least 0"
              }
             ]
            },
            "podsHealthy": {
             "description": "Whether pods on nodes of the new revision, and pods that were moved, must be ready again.",
             "type": "boolean",
             "default": true
            },
            "podReadyTimeout": {
             "description": "How long a pod may take to become ready before it counts as one that does not come back.",
             "type": "string",
             "default": "10m",
             "pattern": "^([0-9]+(s|m|h))+$",
             "maxLength": 32
            },
            "nodeConditions": {
             "description": "Node conditions beside Ready that every node of the new revision must have.",
             "type": "array",
             "maxItems": 20,
             "items": {
              "description": "A node condition and the status it must have.",
              "type": "object",
              "required": [
               "type"
              ],
              "properties": {
               "type": {
                "description": "Type of the condition.",
                "type": "string",
                "minLength": 1,
                "maxLength": 316
               },
               "status": {
                "description": "Status it must have.",
                "type": "string",
                "default": "True",
                "enum": [
                 "True",
                 "False"
                ]
               }
              }
             },
             "x-kubernetes-list-type": "map",
             "x-kubernetes-list-map-keys": [
              "type"
             ]
            },
            "prometheus": {
             "description": "A query of the Prometheus HTTP API that must answer with one number. No answer counts as unknown: the rollout then neither goes on nor fails.",
             "type": "object",
             "required": [
              "address",
              "query",
              "operator",
              "threshold"
             ],
             "properties": {
              "address": {
               "description": "Base URL of the server, such as http://prometheus.monitoring:9090.",
               "type": "string",
               "pattern": "^https?://[^\\s]+$",
               "minLength": 1,
               "maxLength": 1024
              },
              "query": {
               "description": "PromQL whose result is a scalar or a vector of one element.",
               "type": "string",
               "minLength": 1,
               "maxLength": 4096
              },
              "operator": {
               "description": "How the value must relate to the threshold.",
               "type": "string",
               "enum": [
                "LessThan",
                "LessThanOrEqual",
                "GreaterThan",
                "GreaterThanOrEqual"
               ]
              },
              "threshold": {
               "description": "The bound, as a decimal number.",
               "type": "string",
               "pattern": "^-?[0-9]+(\\.[0-9]+)?$",
               "maxLength": 32
              },
              "for": {
               "description": "How long the value must be bad before the rollout fails, such as 2m. Absent: the first bad value fails it.",
               "type": "string",
               "pattern": "^([0-9]+(s|m|h))+$",
               "maxLength": 32
              }
             }
            }
           }
          },
          "onFailure": {
           "description": "What a closed gate leads to: Halt stops, Rollback also returns to the last good revision.",
           "type": "string",
           "default": "Halt",
           "enum": [
            "Halt",
            "Rollback"
           ]
          },
          "minImageAge": {
           "description": "How old an image must be before nodes are replaced for it, such as 72h. New nodes use it at once.",
           "type": "string",
           "pattern": "^([0-9]+(s|m|h))+$",
           "maxLength": 32
          },
          "windows": {
           "description": "When nodes may be replaced; outside, the rollout waits. Absent: at any time.",
           "type": "array",
           "maxItems": 20,
           "items": {
            "description": "A recurring span of time.",
            "type": "object",
            "required": [
             "duration",
             "schedule"
            ],
            "properties": {
             "timeZone": {
              "description": "IANA name of the time zone of the schedule.",
              "type": "string",
              "default": "UTC",
              "minLength": 1,
              "maxLength": 64
             },
             "schedule": {
              "description": "Start of the window: five cron fields or a macro such as @daily. A time that the change to summer time skips counts an hour later; one that comes twice counts once, the first time.",
              "type": "string",
              "pattern": "^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\\S+\\s+\\S+\\s+\\S+\\s+\\S+\\s+\\S+)$",
              "maxLength": 256
             },
             "duration": {
              "description": "Length of the window in hours and minutes.",
              "type": "string",
              "pattern": "^([0-9]+(m|h))+$",
              "maxLength": 32
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "blackoutDates": {
           "description": "Days or spans without replacements, whatever the windows say.",
           "type": "array",
           "maxItems": 100,
           "items": {
            "description": "A span of days, both ends included.",
            "type": "object",
            "required": [
             "from"
            ],
            "properties": {
             "from": {
              "description": "First day, as 2026-12-24.",
              "type": "string",
              "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
              "maxLength": 10
             },
             "to": {
              "description": "Last day. Absent: the first.",
              "type": "string",
              "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
              "maxLength": 10
             },
             "timeZone": {
              "description": "IANA name of the time zone of the days.",
              "type": "string",
              "default": "UTC",
              "minLength": 1,
              "maxLength": 64
             },
             "reason": {
              "description": "Why, for those who ask.",
              "type": "string",
              "maxLength": 256
             }
            },
            "x-kubernetes-validations": [
             {
              "rule": "!has(self.to) || self.to >= self.from",
              "message": "'to' must not be before 'from'"
             }
            ]
           },
           "x-kubernetes-list-type": "atomic"
          },
          "covers": {
           "description": "Which disruptions windows, blackout dates and the shared budget hold: Drift, Expiration, Consolidation (empty nodes included). Expiration is deferred to the next window, but never by more than the claim's terminationGracePeriod where it has one.",
           "type": "array",
           "default": [
            "Drift"
           ],
           "minItems": 1,
           "maxItems": 3,
           "items": {
            "type": "string",
            "enum": [
             "Drift",
             "Expiration",
             "Consolidation"
            ]
           },
           "x-kubernetes-list-type": "set"
          },
          "rate": {
           "description": "Upper bound for replacements: a bucket that holds `nodes` and fills again evenly in `per`. Its content is in status.",
           "type": "object",
           "required": [
            "nodes",
            "per"
           ],
           "properties": {
            "nodes": {
             "description": "How many nodes.",
             "type": "integer",
             "format": "int32",
             "minimum": 1,
             "maximum": 10000
            },
            "per": {
             "description": "In which span, such as 1h.",
             "type": "string",
             "pattern": "^([0-9]+(s|m|h))+$",
             "maxLength": 32
            }
           }
          },
          "sharedBudget": {
           "description": "How many nodes of all the selected pools together may be in replacement: a number or a percentage, rounded up. Each pool's own budgets hold as well.",
           "type": "string",
           "pattern": "^((100|[0-9]{1,2})%|[0-9]+)$",
           "maxLength": 16
          },
          "deadline": {
           "description": "How long after its start a rollout goes through regardless of windows, blackout dates, steps and soaks, such as 168h. Budgets, PDBs, pauses and the rate still hold, and a rollout that has failed stays halted.",
           "type": "string",
           "pattern": "^([0-9]+(s|m|h))+$",
           "maxLength": 32
          },
          "pausedUntil": {
           "description": "No voluntary disruption of the selected pools until then.",
           "type": "string",
           "format": "date-time"
          },
          "softExpireAfter": {
           "description": "Age at which nodes are replaced gracefully, under budgets, windows and rate. Unlike expireAfter it never forces, and changing it never drifts.",
           "type": "string",
           "pattern": "^(([0-9]+(s|m|h))+|Never)$",
           "maxLength": 32
          },
          "softExpireJitter": {
           "description": "How much later than softExpireAfter a node may be due, as a share of it: nodes that were made together are then not replaced together.",
           "type": "string",
           "default": "10%",
           "pattern": "^(100|[0-9]{1,2})%$",
           "maxLength": 4
          },
          "historyLimit": {
           "description": "How many past rollouts status keeps.",
           "type": "integer",
           "format": "int32",
           "default": 10,
           "minimum": 0,
           "maximum": 50
          }
         }
        },
        "status": {
         "description": "What was observed.",
         "type": "object",
         "properties": {
          "observedGeneration": {
           "description": "The metadata.generation this status was computed from.",
           "type": "integer",
           "format": "int64"
          },
          "phase": {
           "description": "Where the rollout stands.",
           "type": "string",
           "enum": [
            "Idle",
            "Waiting",
            "AwaitingApproval",
            "Progressing",
            "Soaking",
            "Paused",
            "Halted",
            "RollingBack",
            "Completed"
           ]
          },
          "reason": {
           "description": "Why it stands there, in one word.",
           "type": "string"
          },
          "message": {
           "description": "The same for a reader.",
           "type": "string",
           "maxLength": 32768
          },
          "revision": {
           "description": "Identity of what is being rolled out.",
           "type": "string"
          },
          "step": {
           "description": "Index of the present step, from 0.",
           "type": "integer",
           "format": "int32"
          },
          "steps": {
           "description": "Number of steps.",
           "type": "integer",
           "format": "int32"
          },
          "totalNodes": {
           "description": "Nodes that the rollout covers.",
           "type": "integer",
           "format": "int32"
          },
          "updatedNodes": {
           "description": "Nodes of the new revision so far.",
           "type": "integer",
           "format": "int32"
          },
          "blockedNodes": {
           "description": "Nodes to be replaced that something else than the policy keeps where they are, such as a PodDisruptionBudget.",
           "type": "integer",
           "format": "int32"
          },
          "blockedBy": {
           "description": "What keeps them, most nodes first.",
           "type": "array",
           "maxItems": 10,
           "items": {
            "description": "One thing that keeps nodes from being replaced.",
            "type": "object",
            "required": [
             "reason",
             "nodes",
             "message"
            ],
            "properties": {
             "reason": {
              "description": "What it is, in one word.",
              "type": "string"
             },
             "nodes": {
              "description": "How many nodes it keeps.",
              "type": "integer",
              "format": "int32"
             },
             "message": {
              "description": "The same for a reader, for the first of the nodes by name.",
              "type": "string",
              "maxLength": 1024
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "failedNodes": {
           "description": "New nodes that failed in the present step.",
           "type": "integer",
           "format": "int32"
          },
          "startTime": {
           "description": "When the rollout began.",
           "type": "string",
           "format": "date-time"
          },
          "stepStartTime": {
           "description": "When the present step began.",
           "type": "string",
           "format": "date-time"
          },
          "stepReachedTime": {
           "description": "When the nodes of the present step were replaced: nodes and pods made since then do not hold it.",
           "type": "string",
           "format": "date-time"
          },
          "soakedUntil": {
           "description": "When the present soak ends.",
           "type": "string",
           "format": "date-time"
          },
          "nextWindowTime": {
           "description": "When the next window opens, while waiting for one.",
           "type": "string",
           "format": "date-time"
          },
          "deadlineTime": {
           "description": "When the rollout goes through regardless of windows, steps and soaks.",
           "type": "string",
           "format": "date-time"
          },
          "stepGoal": {
           "description": "Nodes that are to be replaced by the end of the present step.",
           "type": "integer",
           "format": "int32"
          },
          "startNodes": {
           "description": "Nodes that were to be replaced when the rollout began.",
           "type": "integer",
           "format": "int32"
          },
          "imageChanges": {
           "description": "EC2NodeClasses whose images were others than those of present nodes when the rollout began: only these can be rolled back.",
           "type": "array",
           "maxItems": 1000,
           "items": {
            "type": "string"
           },
           "x-kubernetes-list-type": "set"
          },
          "leaving": {
           "description": "NodeClaims that were on their way out when the rollout began, for an earlier one or another reason, and are still there. They are none of startNodes; one that is kept after all goes with the last step.",
           "type": "array",
           "maxItems": 1000,
           "items": {
            "type": "string"
           },
           "x-kubernetes-list-type": "set"
          },
          "replacedNodes": {
           "description": "Nodes whose replacement has begun, of those of startNodes.",
           "type": "integer",
           "format": "int32"
          },
          "inForce": {
           "description": "The part of the spec under which the present step began. A changed policy takes effect with the next step.",
           "type": "object",
           "properties": {
            "generation": {
             "description": "The metadata.generation that it was taken from.",
             "type": "integer",
             "format": "int64"
            },
            "steps": {
             "description": "The steps then.",
             "type": "array",
             "maxItems": 20,
             "items": {
              "description": "How far the rollout goes before it soaks.",
              "type": "object",
              "required": [
               "nodes"
              ],
              "properties": {
               "nodes": {
                "description": "Nodes of the new revision at the end of the step, counted from the start of the rollout: a number or a percentage, rounded up.",
                "x-kubernetes-int-or-string": true,
                "anyOf": [
                 {
                  "type": "integer"
                 },
                 {
                  "type": "string"
                 }
                ],
                "pattern": "^((100|[1-9][0-9]?)%|[1-9][0-9]*)$",
                "x-kubernetes-validations": [
                 {
                  "rule": "type(self) == int ? self >= 1 : true",
                  "message": "nodes must be at least 1"
                 }
                ]
               },
               "soak": {
                "description": "How long the gates must hold after the step, with its nodes in service, before the next begins.",
                "type": "string",
                "pattern": "^([0-9]+(s|m|h))+$",
                "maxLength": 32
               }
              }
             },
             "x-kubernetes-list-type": "atomic"
            },
            "gates": {
             "description": "What must hold for the rollout to go on. A gate that is found shut fails the rollout; see onFailure.",
             "type": "object",
             "properties": {
              "nodeReadyTimeout": {
               "description": "How long a new node may take to become ready before it counts as failed.",
               "type": "string",
               "default": "15m",
               "pattern": "^([0-9]+(s|m|h))+$",
               "maxLength": 32
              },
              "maxFailedNodes": {
               "description": "How many new nodes may fail to launch, register or become ready in a step before the rollout fails: a number or a percentage of the step, rounded up. A lack of capacity is no failure.",
               "x-kubernetes-int-or-string": true,
               "anyOf": [
                {
                 "type": "integer"
                },
                {
                 "type": "string"
                }
               ],
               "default": 0,
               "pattern": "^((100|[0-9]{1,2})%|[0-9]+)$",
               "x-kubernetes-validations": [
                {
                 "rule": "type(self) == int ? self >= 0 : true",
                 "message": "maxFailedNodes must be at least 0"
                }
               ]
              },
              "maxUnhealthyNodes": {
               "description": "How many nodes of the new revision that were ready once may be not ready at once. More hold the rollout; a node that stays so for nodeReadyTimeout counts as failed.",
               "x-kubernetes-int-or-string": true,
               "anyOf": [
                {
                 "type": "integer"
                },
                {
                 "type": "string"
                }
               ],
               "default": 0,
               "pattern": "^((100|[0-9]{1,2})%|[0-9]+)$",
               "x-kubernetes-validations": [
                {
                 "rule": "type(self) == int ? self >= 0 : true",
                 "message": "maxUnhealthyNodes must be at least 0"
                }
               ]
              },
              "podsHealthy": {
               "description": "Whether pods on nodes of the new revision, and pods that were moved, must be ready again.",
               "type": "boolean",
               "default": true
              },
              "podReadyTimeout": {
               "description": "How long a pod may take to become ready before it counts as one that does not come back.",
               "type": "string",
               "default": "10m",
               "pattern": "^([0-9]+(s|m|h))+$",
               "maxLength": 32
              },
              "nodeConditions": {
               "description": "Node conditions beside Ready that every node of the new revision must have.",
               "type": "array",
               "maxItems": 20,
               "items": {
                "description": "A node condition and the status it must have.",
                "type": "object",
                "required": [
                 "type"
                ],
                "properties": {
                 "type": {
                  "description": "Type of the condition.",
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 316
                 },
                 "status": {
                  "description": "Status it must have.",
                  "type": "string",
                  "default": "True",
                  "enum": [
                   "True",
                   "False"
                  ]
                 }
                }
               },
               "x-kubernetes-list-type": "map",
               "x-kubernetes-list-map-keys": [
                "type"
               ]
              },
              "prometheus": {
               "description": "A query of the Prometheus HTTP API that must answer with one number. No answer counts as unknown: the rollout then neither goes on nor fails.",
               "type": "object",
               "required": [
                "address",
                "query",
                "operator",
                "threshold"
               ],
               "properties": {
                "address": {
                 "description": "Base URL of the server, such as http://prometheus.monitoring:9090.",
                 "type": "string",
                 "pattern": "^https?://[^\\s]+$",
                 "minLength": 1,
                 "maxLength": 1024
                },
                "query": {
                 "description": "PromQL whose result is a scalar or a vector of one element.",
                 "type": "string",
                 "minLength": 1,
                 "maxLength": 4096
                },
                "operator": {
                 "description": "How the value must relate to the threshold.",
                 "type": "string",
                 "enum": [
                  "LessThan",
                  "LessThanOrEqual",
                  "GreaterThan",
                  "GreaterThanOrEqual"
                 ]
                },
                "threshold": {
                 "description": "The bound, as a decimal number.",
                 "type": "string",
                 "pattern": "^-?[0-9]+(\\.[0-9]+)?$",
                 "maxLength": 32
                },
                "for": {
                 "description": "How long the value must be bad before the rollout fails, such as 2m. Absent: the first bad value fails it.",
                 "type": "string",
                 "pattern": "^([0-9]+(s|m|h))+$",
                 "maxLength": 32
                }
               }
              }
             }
            },
            "onFailure": {
             "description": "What a closed gate leads to: Halt stops, Rollback also returns to the last good revision.",
             "type": "string",
             "default": "Halt",
             "enum": [
              "Halt",
              "Rollback"
             ]
            }
           }
          },
          "rate": {
           "description": "The token bucket of the rate.",
           "type": "object",
           "required": [
            "time",
            "tokens"
           ],
           "properties": {
            "tokens": {
             "description": "Replacements that may begin at once, as a decimal number.",
             "type": "string"
            },
            "time": {
             "description": "When that was so.",
             "type": "string",
             "format": "date-time"
            },
            "paid": {
             "description": "NodeClaims that have paid and are not gone yet: beginning again with one costs nothing.",
             "type": "array",
             "maxItems": 10000,
             "items": {
              "type": "string"
             },
             "x-kubernetes-list-type": "atomic"
            }
           }
          },
          "pending": {
           "description": "New nodes of the rollout that are not ready yet, and those that have failed in this step, also once they are gone.",
           "type": "array",
           "maxItems": 1000,
           "items": {
            "description": "A new node on its way, or one that has failed.",
            "type": "object",
            "required": [
             "name",
             "since"
            ],
            "properties": {
             "name": {
              "description": "Name of its NodeClaim.",
              "type": "string"
             },
             "since": {
              "description": "When it was made.",
              "type": "string",
              "format": "date-time"
             },
             "launched": {
              "description": "Whether there was an instance.",
              "type": "boolean"
             },
             "failed": {
              "description": "Whether it has been counted as failed.",
              "type": "boolean"
             },
             "nodeClass": {
              "description": "EC2NodeClass of its pool.",
              "type": "string",
              "maxLength": 253
             }
            }
           },
           "x-kubernetes-list-type": "map",
           "x-kubernetes-list-map-keys": [
            "name"
           ]
          },
          "badSince": {
           "description": "Since when the Prometheus query answers with a bad value.",
           "type": "string",
           "format": "date-time"
          },
          "failure": {
           "description": "Why the rollout stopped.",
           "type": "object",
           "required": [
            "reason",
            "message",
            "time",
            "state"
           ],
           "properties": {
            "reason": {
             "description": "In one word.",
             "type": "string"
            },
            "message": {
             "description": "The same for a reader.",
             "type": "string",
             "maxLength": 32768
            },
            "time": {
             "description": "When.",
             "type": "string",
             "format": "date-time"
            },
            "generation": {
             "description": "The policy's metadata.generation then: a changed policy tries the step again.",
             "type": "integer",
             "format": "int64"
            },
            "state": {
             "description": "Halted stays as it is; RollingBack returns the nodes of the rollout to the last good images; RolledBack has done so.",
             "type": "string",
             "enum": [
              "Halted",
              "RollingBack",
              "RolledBack"
             ]
            },
            "targets": {
             "description": "What failed, by pool: it is not tried again as long as none of these pools wants something else.",
             "type": "array",
             "maxItems": 1000,
             "items": {
              "description": "The target of a pool in a rollout that failed.",
              "type": "object",
              "required": [
               "name",
               "target"
              ],
              "properties": {
               "name": {
                "description": "Name of the pool.",
                "type": "string"
               },
               "target": {
                "description": "What its nodes were to be made of, without what a rollback pins.",
                "type": "string"
               }
              }
             },
             "x-kubernetes-list-type": "atomic"
            },
            "nodeClasses": {
             "description": "EC2NodeClasses of the new nodes that failed, and those that share an image with them: no other images count as failed. Absent where it cannot be told, as of pods or a metric: then those of imageChanges all do.",
             "type": "array",
             "maxItems": 1000,
             "items": {
              "type": "string"
             },
             "x-kubernetes-list-type": "set"
            }
           }
          },
          "approvals": {
           "description": "Approvals of the present targets.",
           "type": "array",
           "maxItems": 1000,
           "items": {
            "description": "An approval and what the API server knows of its origin.",
            "type": "object",
            "required": [
             "kind",
             "name",
             "target"
            ],
            "properties": {
             "kind": {
              "description": "NodePool or EC2NodeClass.",
              "type": "string"
             },
             "name": {
              "description": "Name of the object that carries the annotation.",
              "type": "string"
             },
             "target": {
              "description": "What was approved.",
              "type": "string"
             },
             "time": {
              "description": "When the annotation was written.",
              "type": "string",
              "format": "date-time"
             },
             "fieldManager": {
              "description": "Who wrote it, as the API server calls writers. Which person it was is in the history of the Git repository.",
              "type": "string"
             },
             "user": {
              "description": "The authenticated user who wrote it, where the admission webhook saw the request.",
              "type": "string",
              "maxLength": 1024
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "nodePools": {
           "description": "The selected pools, by name.",
           "type": "array",
           "maxItems": 1000,
           "items": {
            "description": "A pool under the policy.",
            "type": "object",
            "required": [
             "name"
            ],
            "properties": {
             "name": {
              "description": "Name of the pool.",
              "type": "string"
             },
             "currentHash": {
              "description": "Target that was last completed.",
              "type": "string"
             },
             "targetHash": {
              "description": "Target that is wanted: the token that an approval names.",
              "type": "string"
             },
             "totalNodes": {
              "description": "Nodes of the pool.",
              "type": "integer",
              "format": "int32"
             },
             "updatedNodes": {
              "description": "Nodes of the wanted revision.",
              "type": "integer",
              "format": "int32"
             },
             "blockedNodes": {
              "description": "Nodes of it that something else than the policy keeps where they are.",
              "type": "integer",
              "format": "int32"
             },
             "phase": {
              "description": "Where the pool stands, where it differs from the policy.",
              "type": "string"
             },
             "governedBy": {
              "description": "The older policy that governs the pool instead of this one.",
              "type": "string"
             },
             "approved": {
              "description": "Whether the target is approved, in mode Approve.",
              "type": "boolean"
             },
             "startNodes": {
              "description": "Nodes that were to be replaced when the rollout began, if it covers the pool.",
              "type": "integer",
              "format": "int32"
             }
            }
           },
           "x-kubernetes-list-type": "map",
           "x-kubernetes-list-map-keys": [
            "name"
           ]
          },
          "history": {
           "description": "Past rollouts, newest first.",
           "type": "array",
           "maxItems": 50,
           "items": {
            "description": "A past rollout.",
            "type": "object",
            "required": [
             "outcome",
             "revision"
            ],
            "properties": {
             "revision": {
              "description": "Identity of what was rolled out.",
              "type": "string"
             },
             "outcome": {
              "description": "How it ended.",
              "type": "string",
              "enum": [
               "Completed",
               "Halted",
               "RolledBack",
               "Superseded"
              ]
             },
             "message": {
              "description": "The same for a reader.",
              "type": "string",
              "maxLength": 32768
             },
             "totalNodes": {
              "description": "Nodes that it covered.",
              "type": "integer",
              "format": "int32"
             },
             "updatedNodes": {
              "description": "Nodes that it replaced.",
              "type": "integer",
              "format": "int32"
             },
             "startTime": {
              "description": "When it began.",
              "type": "string",
              "format": "date-time"
             },
             "completionTime": {
              "description": "When it ended.",
              "type": "string",
              "format": "date-time"
             },
             "number": {
              "description": "Number of the rollout under this policy, from 1.",
              "type": "integer",
              "format": "int32"
             },
             "images": {
              "description": "Ids of the images that it rolled out, sorted.",
              "type": "array",
              "maxItems": 100,
              "items": {
               "type": "string"
              },
              "x-kubernetes-list-type": "atomic"
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "conditions": {
           "description": "Conditions of the object; Ready sums up the others.",
           "type": "array",
           "items": {
            "description": "One aspect of the observed state.",
            "type": "object",
            "required": [
             "lastTransitionTime",
             "message",
             "reason",
             "status",
             "type"
            ],
            "properties": {
             "type": {
              "description": "Type of the condition.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
              "maxLength": 316
             },
             "status": {
              "description": "Whether the condition holds.",
              "type": "string",
              "enum": [
               "True",
               "False",
               "Unknown"
              ]
             },
             "lastTransitionTime": {
              "description": "When status last changed.",
              "type": "string",
              "format": "date-time"
             },
             "observedGeneration": {
              "description": "The metadata.generation that the condition was computed from.",
              "type": "integer",
              "format": "int64",
              "minimum": 0
             },
             "reason": {
              "description": "Why the condition has this status, in one word.",
              "type": "string",
              "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
              "minLength": 1,
              "maxLength": 1024
             },
             "message": {
              "description": "The same for a reader; may be empty.",
              "type": "string",
              "maxLength": 32768
             }
            }
           },
           "x-kubernetes-list-type": "map",
           "x-kubernetes-list-map-keys": [
            "type"
           ]
          }
         }
        }
       }
      }
     },
     "subresources": {
      "status": {}
     }
    }
   ]
  }
 },
 {
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
   "name": "ec2nodeclasses.karpenter.k8s.aws"
  },
  "spec": {
   "group": "karpenter.k8s.aws",
   "names": {
    "categories": [
     "karpenter"
    ],
    "kind": "EC2NodeClass",
    "listKind": "EC2NodeClassList",
    "plural": "ec2nodeclasses",
    "shortNames": [
     "ec2nc",
     "ec2ncs"
    ],
    "singular": "ec2nodeclass"
   },
   "scope": "Cluster",
   "versions": [
    {
     "name": "v1",
     "served": true,
     "storage": true,
     "additionalPrinterColumns": [
      {
       "name": "Ready",
       "type": "string",
       "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"
      },
      {
       "name": "Age",
       "type": "date",
       "jsonPath": ".metadata.creationTimestamp"
      },
      {
       "name": "Role",
       "type": "string",
       "jsonPath": ".spec.role",
       "priority": 1
      }
     ],
     "schema": {
      "openAPIV3Schema": {
       "description": "An EC2NodeClass holds what AWS must know to launch an instance: image, network, identity, disks, user data.",
       "type": "object",
       "properties": {
        "apiVersion": {
         "description": "Version of the API that the object is written in.",
         "type": "string"
        },
        "kind": {
         "description": "Kind of the object.",
         "type": "string"
        },
        "metadata": {
         "type": "object"
        },
        "spec": {
         "description": "What is wanted.",
         "type": "object",
         "required": [
          "amiSelectorTerms",
          "securityGroupSelectorTerms",
          "subnetSelectorTerms"
         ],
         "properties": {
          "subnetSelectorTerms": {
           "description": "Subnets to launch into: those that any term selects.",
           "type": "array",
           "maxItems": 30,
           "items": {
            "description": "Selects subnets by tags or by id.",
            "type": "object",
            "properties": {
             "tags": {
              "description": "Tags that a resource must carry; the value * stands for any.",
              "type": "object",
              "maxProperties": 20,
              "additionalProperties": {
               "type": "string"
              },
              "x-kubernetes-validations": [
               {
                "rule": "self.all(k, k != '' && self[k] != '')",
                "message": "empty tag keys or values aren't supported"
               }
              ]
             },
             "id": {
              "description": "Id of a subnet.",
              "type": "string",
              "pattern": "subnet-[0-9a-z]+"
             }
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.size() != 0",
             "message": "subnetSelectorTerms cannot be empty"
            },
            {
             "rule": "self.all(x, has(x.tags) || has(x.id))",
             "message": "expected at least one, got none, ['tags', 'id']"
            },
            {
             "rule": "!self.all(x, has(x.id) && has(x.tags))",
             "message": "'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet selector term"
            }
           ]
          },
          "securityGroupSelectorTerms": {
           "description": "Security groups of the instances: those that any term selects.",
           "type": "array",
           "maxItems": 30,
           "items": {
            "description": "Selects security groups by tags, by id or by name.",
            "type": "object",
            "properties": {
             "tags": {
              "description": "Tags that a resource must carry; the value * stands for any.",
              "type": "object",
              "maxProperties": 20,
              "additionalProperties": {
               "type": "string"
              },
              "x-kubernetes-validations": [
               {
                "rule": "self.all(k, k != '' && self[k] != '')",
                "message": "empty tag keys or values aren't supported"
               }
              ]
             },
             "id": {
              "description": "Id of a security group.",
              "type": "string",
              "pattern": "sg-[0-9a-z]+"
             },
             "name": {
              "description": "Name of a security group, not its Name tag.",
              "type": "string"
             }
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.size() != 0",
             "message": "securityGroupSelectorTerms cannot be empty"
            },
            {
             "rule": "self.all(x, has(x.tags) || has(x.id) || has(x.name))",
             "message": "expected at least one, got none, ['tags', 'id', 'name']"
            },
            {
             "rule": "!self.all(x, has(x.id) && (has(x.tags) || has(x.name)))",
             "message": "'id' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term"
            },
            {
             "rule": "!self.all(x, has(x.name) && (has(x.tags) || has(x.id)))",
             "message": "'name' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term"
            }
           ]
          },
          "capacityReservationSelectorTerms": {
           "description": "Capacity reservations that launches may use: those that any term selects.",
           "type": "array",
           "maxItems": 30,
           "items": {
            "description": "Selects capacity reservations by tags, by id or by match criteria.",
            "type": "object",
            "properties": {
             "tags": {
              "description": "Tags that a resource must carry; the value * stands for any.",
              "type": "object",
              "maxProperties": 20,
              "additionalProperties": {
               "type": "string"
              },
              "x-kubernetes-validations": [
               {
                "rule": "self.all(k, k != '' && self[k] != '')",
                "message": "empty tag keys or values aren't supported"
               }
              ]
             },
             "id": {
              "description": "Id of a capacity reservation.",
              "type": "string",
              "pattern": "^cr-[0-9a-z]+$"
             },
             "ownerID": {
              "description": "Account that owns the reservation.",
              "type": "string",
              "pattern": "^[0-9]{12}$"
             },
             "instanceMatchCriteria": {
              "description": "Whether the reservation takes matching instances on its own (open) or only targeted launches.",
              "type": "string",
              "enum": [
               "open",
               "targeted"
              ]
             }
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.all(x, has(x.tags) || has(x.id) || has(x.instanceMatchCriteria))",
             "message": "expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']"
            },
            {
             "rule": "!self.all(x, has(x.id) && (has(x.tags) || has(x.ownerID) || has(x.instanceMatchCriteria)))",
             "message": "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term"
            }
           ]
          },
          "placementGroupSelector": {
           "description": "The placement group to launch into, by name or by id.",
           "type": "object",
           "properties": {
            "name": {
             "description": "Name of the placement group.",
             "type": "string",
             "minLength": 1
            },
            "id": {
             "description": "Id of the placement group.",
             "type": "string",
             "pattern": "^pg-[0-9a-z]+$"
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "has(self.name) || has(self.id)",
             "message": "expected at least one, got none, ['name', 'id']"
            },
            {
             "rule": "!has(self.name) || !has(self.id)",
             "message": "'name' and 'id' are mutually exclusive"
            }
           ]
          },
          "associatePublicIPAddress": {
           "description": "Whether instances get a public IPv4 address. Absent: as the subnet says.",
           "type": "boolean"
          },
          "ipPrefixCount": {
           "description": "IPv4 prefixes to assign to the primary network interface at launch.",
           "type": "integer",
           "format": "int32",
           "minimum": 0
          },
          "amiSelectorTerms": {
           "description": "Images to launch: those that any term selects, the newest per kind of instance. An alias must be the only term.",
           "type": "array",
           "minItems": 1,
           "maxItems": 30,
           "items": {
            "description": "Selects images by alias, tags, id, name or SSM parameter.",
            "type": "object",
            "properties": {
             "alias": {
              "description": "EKS image family and version, such as al2023@v20240625 or bottlerocket@latest. latest rolls the nodes whenever AWS publishes an image.",
              "type": "string",
              "maxLength": 30,
              "x-kubernetes-validations": [
               {
                "rule": "self.matches('^[a-zA-Z0-9]+@.+$')",
                "message": "'alias' is improperly formatted, must match the format 'family@version'"
               },
               {
                "rule": "self.find('^[^@]+') in ['al2', 'al2023', 'bottlerocket', 'windows2019', 'windows2022', 'windows2025']",
                "message": "family is not supported, must be one of the following: 'al2', 'al2023', 'bottlerocket', 'windows2019', 'windows2022', 'windows2025'"
               },
               {
                "rule": "self.split('@')[0] in ['windows2019', 'windows2022', 'windows2025'] ? self.split('@')[1] == 'latest' : true",
                "message": "windows families may only specify version 'latest'"
               }
              ]
             },
             "tags": {
              "description": "Tags that a resource must carry; the value * stands for any.",
              "type": "object",
              "maxProperties": 20,
              "additionalProperties": {
               "type": "string"
              },
              "x-kubernetes-validations": [
               {
                "rule": "self.all(k, k != '' && self[k] != '')",
                "message": "empty tag keys or values aren't supported"
               }
              ]
             },
             "id": {
              "description": "Id of an image.",
              "type": "string",
              "pattern": "ami-[0-9a-z]+"
             },
             "name": {
              "description": "Name of an image; * and ? are wildcards.",
              "type": "string"
             },
             "owner": {
              "description": "Account or alias (self, amazon) that owns the image. Without it, a name matches images of this account and of Amazon only, and tags alone match images of any account.",
              "type": "string"
             },
             "ssmParameter": {
              "description": "Name or ARN of an SSM parameter that holds an image id.",
              "type": "string"
             }
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.all(x, has(x.tags) || has(x.id) || has(x.name) || has(x.alias) || has(x.ssmParameter))",
             "message": "expected at least one, got none, ['tags', 'id', 'name', 'alias', 'ssmParameter']"
            },
            {
             "rule": "!self.exists(x, has(x.id) && (has(x.alias) || has(x.tags) || has(x.name) || has(x.owner)))",
             "message": "'id' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms"
            },
            {
             "rule": "!self.exists(x, has(x.alias) && (has(x.id) || has(x.tags) || has(x.name) || has(x.owner)))",
             "message": "'alias' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms"
            },
            {
             "rule": "self.size() == 1 || !self.exists(x, has(x.alias))",
             "message": "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms"
            }
           ]
          },
          "amiFamily": {
           "description": "How the instance is bootstrapped: the form of the user data and the default disks. Follows from the alias when there is one.",
           "type": "string",
           "enum": [
            "AL2",
            "AL2023",
            "Bottlerocket",
            "Custom",
            "Windows2019",
            "Windows2022",
            "Windows2025"
           ]
          },
          "userData": {
           "description": "User data to merge with what the AMI family generates; for Custom it is used as it stands.",
           "type": "string"
          },
          "role": {
           "description": "IAM role of the instances; an instance profile is made for it. Exactly one of role and instanceProfile.",
           "type": "string",
           "x-kubernetes-validations": [
            {
             "rule": "self != ''",
             "message": "role cannot be empty"
            }
           ]
          },
          "instanceProfile": {
           "description": "Instance profile of the instances, made elsewhere. Exactly one of role and instanceProfile.",
           "type": "string",
           "x-kubernetes-validations": [
            {
             "rule": "self != ''",
             "message": "instanceProfile cannot be empty"
            }
           ]
          },
          "tags": {
           "description": "Tags for everything that a launch creates.",
           "type": "object",
           "additionalProperties": {
            "type": "string"
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.all(k, k != '')",
             "message": "empty tag keys aren't supported"
            },
            {
             "rule": "self.all(k, k != 'eks:eks-cluster-name')",
             "message": "tag contains a restricted tag matching eks:eks-cluster-name"
            },
            {
             "rule": "self.all(k, !k.startsWith('kubernetes.io/cluster'))",
             "message": "tag contains a restricted tag matching kubernetes.io/cluster/"
            },
            {
             "rule": "self.all(k, k != 'karpenter.sh/nodepool')",
             "message": "tag contains a restricted tag matching karpenter.sh/nodepool"
            },
            {
             "rule": "self.all(k, k != 'karpenter.sh/nodeclaim')",
             "message": "tag contains a restricted tag matching karpenter.sh/nodeclaim"
            },
            {
             "rule": "self.all(k, k != 'karpenter.k8s.aws/ec2nodeclass')",
             "message": "tag contains a restricted tag matching karpenter.k8s.aws/ec2nodeclass"
            }
           ]
          },
          "kubelet": {
           "description": "Fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1). They are checked after admission; see the condition ValidationSucceeded.",
           "type": "object",
           "additionalProperties": {
            "x-kubernetes-preserve-unknown-fields": true
           },
           "x-kubernetes-preserve-unknown-fields": true
          },
          "blockDeviceMappings": {
           "description": "Disks of the instances. Absent: the default of the AMI family.",
           "type": "array",
           "maxItems": 50,
           "items": {
            "description": "One disk.",
            "type": "object",
            "properties": {
             "deviceName": {
              "description": "Device name, such as /dev/xvda.",
              "type": "string"
             },
             "rootVolume": {
              "description": "Whether the kubelet keeps its data on this disk; its size then counts as ephemeral storage. At most one mapping.",
              "type": "boolean"
             },
             "ebs": {
              "description": "An EBS volume.",
              "type": "object",
              "properties": {
               "deleteOnTermination": {
                "description": "Whether the volume goes with the instance.",
                "type": "boolean"
               },
               "encrypted": {
                "description": "Whether the volume is encrypted.",
                "type": "boolean"
               },
               "iops": {
                "description": "I/O operations per second, for io1, io2 and gp3.",
                "type": "integer",
                "format": "int64"
               },
               "kmsKeyID": {
                "description": "Key to encrypt with: id, ARN or alias.",
                "type": "string"
               },
               "snapshotID": {
                "description": "Snapshot to start from.",
                "type": "string"
               },
               "throughput": {
                "description": "Throughput in MiB per second, for gp3.",
                "type": "integer",
                "format": "int64"
               },
               "volumeInitializationRate": {
                "description": "How fast the snapshot is loaded, in MiB per second.",
                "type": "integer",
                "format": "int32",
                "minimum": 100,
                "maximum": 300
               },
               "volumeSize": {
                "description": "Size with a unit of Gi, G, Ti or T.",
                "type": "string",
                "pattern": "^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$"
               },
               "volumeType": {
                "description": "Type of the volume.",
                "type": "string",
                "enum": [
                 "standard",
                 "io1",
                 "io2",
                 "gp2",
                 "sc1",
                 "st1",
                 "gp3"
                ]
               }
              },
              "x-kubernetes-validations": [
               {
                "rule": "has(self.snapshotID) || has(self.volumeSize)",
                "message": "snapshotID or volumeSize must be defined"
               },
               {
                "rule": "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
                "message": "snapshotID must be set when volumeInitializationRate is set"
               }
              ]
             }
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.filter(x, has(x.rootVolume) && x.rootVolume).size() <= 1",
             "message": "must have only one blockDeviceMappings with rootVolume"
            }
           ]
          },
          "instanceStorePolicy": {
           "description": "What to do with the instance's own disks: RAID0 joins them for pods and images. Absent: nothing.",
           "type": "string",
           "enum": [
            "RAID0"
           ]
          },
          "networkInterfaces": {
           "description": "Network interfaces of the instances. Absent: one primary interface, and EFA interfaces where pods ask for them.",
           "type": "array",
           "maxItems": 150,
           "items": {
            "description": "One network interface.",
            "type": "object",
            "required": [
             "deviceIndex",
             "interfaceType",
             "networkCardIndex"
            ],
            "properties": {
             "networkCardIndex": {
              "description": "Index of the network card.",
              "type": "integer",
              "format": "int32",
              "minimum": 0
             },
             "deviceIndex": {
              "description": "Index of the device on its card.",
              "type": "integer",
              "format": "int32",
              "minimum": 0
             },
             "interfaceType": {
              "description": "Ordinary interface, or EFA without IP.",
              "type": "string",
              "enum": [
               "interface",
               "efa-only"
              ]
             }
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.size() == 0 || self.exists(x, x.networkCardIndex == 0 && x.deviceIndex == 0 && x.interfaceType == 'interface')",
             "message": "networkInterfaces must include a primary interface with interfaceType='interface'"
            },
            {
             "rule": "self.all(x, self.filter(y, y.networkCardIndex == x.networkCardIndex && (y.deviceIndex == x.deviceIndex || (y.interfaceType == 'efa-only' && x.interfaceType == 'efa-only'))).size() == 1)",
             "message": "networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs, and can have at most one efa device per network card"
            }
           ]
          },
          "detailedMonitoring": {
           "description": "Whether CloudWatch records the instances every minute.",
           "type": "boolean"
          },
          "metadataOptions": {
           "description": "Settings of the instance metadata service.",
           "type": "object",
           "default": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required"
           },
           "properties": {
            "httpEndpoint": {
             "description": "Whether the service answers.",
             "type": "string",
             "default": "enabled",
             "enum": [
              "enabled",
              "disabled"
             ]
            },
            "httpProtocolIPv6": {
             "description": "Whether it has an IPv6 address.",
             "type": "string",
             "default": "disabled",
             "enum": [
              "enabled",
              "disabled"
             ]
            },
            "httpPutResponseHopLimit": {
             "description": "How many network hops a token may travel; 1 keeps pods out that do not use the host's network.",
             "type": "integer",
             "format": "int64",
             "default": 1,
             "minimum": 1,
             "maximum": 64
            },
            "httpTokens": {
             "description": "Whether requests need a session token (IMDSv2).",
             "type": "string",
             "default": "required",
             "enum": [
              "required",
              "optional"
             ]
            }
           }
          },
          "connectionTracking": {
           "description": "Idle timeouts of tracked connections, in seconds. Absent ones are as EC2 sets them.",
           "type": "object",
           "properties": {
            "tcpEstablishedTimeout": {
             "description": "Idle TCP connections.",
             "type": "integer",
             "format": "int32",
             "minimum": 60,
             "maximum": 432000
            },
            "udpStreamTimeout": {
             "description": "UDP flows with more than one request.",
             "type": "integer",
             "format": "int32",
             "minimum": 60,
             "maximum": 180
            },
            "udpTimeout": {
             "description": "UDP flows with a single request.",
             "type": "integer",
             "format": "int32",
             "minimum": 30,
             "maximum": 60
            }
           },
           "x-kubernetes-validations": [
            {
             "rule": "has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)",
             "message": "at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set"
            }
           ]
          },
          "context": {
           "description": "Reserved context identifier for CreateFleet.",
           "type": "string"
          },
          "cpuOptions": {
           "description": "Processor features.",
           "type": "object",
           "properties": {
            "nestedVirtualization": {
             "description": "Whether the instance may run virtual machines.",
             "type": "string",
             "enum": [
              "enabled",
              "disabled"
             ]
            }
           }
          }
         },
         "x-kubernetes-validations": [
          {
           "rule": "has(self.role) != has(self.instanceProfile)",
           "message": "must specify exactly one of ['role', 'instanceProfile']"
          },
          {
           "rule": "!has(self.amiFamily) || self.amiFamily in ['AL2', 'Custom'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == 'al2')",
           "message": "if set, amiFamily must be 'AL2' or 'Custom' when using an AL2 alias"
          },
          {
           "rule": "!has(self.amiFamily) || self.amiFamily in ['AL2023', 'Custom'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == 'al2023')",
           "message": "if set, amiFamily must be 'AL2023' or 'Custom' when using an AL2023 alias"
          },
          {
           "rule": "!has(self.amiFamily) || self.amiFamily in ['Bottlerocket', 'Custom'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == 'bottlerocket')",
           "message": "if set, amiFamily must be 'Bottlerocket' or 'Custom' when using a Bottlerocket alias"
          },
          {
           "rule": "!has(self.amiFamily) || self.amiFamily in ['Windows2019', 'Custom'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == 'windows2019')",
           "message": "if set, amiFamily must be 'Windows2019' or 'Custom' when using a Windows2019 alias"
          },
          {
           "rule": "!has(self.amiFamily) || self.amiFamily in ['Windows2022', 'Custom'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == 'windows2022')",
           "message": "if set, amiFamily must be 'Windows2022' or 'Custom' when using a Windows2022 alias"
          },
          {
           "rule": "!has(self.amiFamily) || self.amiFamily in ['Windows2025', 'Custom'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == 'windows2025')",
           "message": "if set, amiFamily must be 'Windows2025' or 'Custom' when using a Windows2025 alias"
          },
          {
           "rule": "has(self.amiFamily) || self.amiSelectorTerms.exists(x, has(x.alias))",
           "message": "must specify amiFamily if amiSelectorTerms does not contain an alias"
          }
         ]
        },
        "status": {
         "description": "What was observed.",
         "type": "object",
         "properties": {
          "subnets": {
           "description": "Subnets the selector found, those with most free addresses first.",
           "type": "array",
           "items": {
            "description": "A subnet.",
            "type": "object",
            "required": [
             "id",
             "zone"
            ],
            "properties": {
             "id": {
              "description": "Id of the subnet.",
              "type": "string"
             },
             "zone": {
              "description": "Name of its zone.",
              "type": "string"
             },
             "zoneID": {
              "description": "Id of its zone.",
              "type": "string"
             }
            }
           }
          },
          "securityGroups": {
           "description": "Security groups the selector found, by id.",
           "type": "array",
           "items": {
            "description": "A security group.",
            "type": "object",
            "required": [
             "id"
            ],
            "properties": {
             "id": {
              "description": "Id of the security group.",
              "type": "string"
             },
             "name": {
              "description": "Name of the security group.",
              "type": "string"
             }
            }
           }
          },
          "amis": {
           "description": "Images the selector found.",
           "type": "array",
           "items": {
            "description": "An image and the instance types it is for.",
            "type": "object",
            "required": [
             "id",
             "requirements"
            ],
            "properties": {
             "id": {
              "description": "Id of the image.",
              "type": "string"
             },
             "name": {
              "description": "Name of the image.",
              "type": "string"
             },
             "deprecated": {
              "description": "Whether AWS has deprecated the image.",
              "type": "boolean"
             },
             "requirements": {
              "description": "Constraints on the instance types that the image fits.",
              "type": "array",
              "items": {
               "description": "One constraint on a label of instance types.",
               "type": "object",
               "required": [
                "key",
                "operator"
               ],
               "properties": {
                "key": {
                 "description": "The label.",
                 "type": "string"
                },
                "operator": {
                 "description": "How the label relates to the values.",
                 "type": "string"
                },
                "values": {
                 "description": "Values for the operator.",
                 "type": "array",
                 "items": {
                  "type": "string"
                 }
                }
               }
              }
             }
            }
           }
          },
          "capacityReservations": {
           "description": "Capacity reservations the selector found, by id.",
           "type": "array",
           "items": {
            "description": "A capacity reservation.",
            "type": "object",
            "required": [
             "availabilityZone",
             "id",
             "instanceMatchCriteria",
             "instanceType",
             "ownerID"
            ],
            "properties": {
             "id": {
              "description": "Id of the reservation.",
              "type": "string",
              "pattern": "^cr-[0-9a-z]+$"
             },
             "availabilityZone": {
              "description": "Zone of the reservation.",
              "type": "string"
             },
             "instanceMatchCriteria": {
              "description": "Whether it is open or only for targeted launches.",
              "type": "string",
              "enum": [
               "open",
               "targeted"
              ]
             },
             "instanceType": {
              "description": "Instance type it reserves.",
              "type": "string"
             },
             "ownerID": {
              "description": "Account that owns it.",
              "type": "string",
              "pattern": "^[0-9]{12}$"
             },
             "reservationType": {
              "description": "On-demand reservation or capacity block.",
              "type": "string",
              "default": "default",
              "enum": [
               "default",
               "capacity-block"
              ]
             },
             "state": {
              "description": "Whether it may be used, or is a capacity block about to end.",
              "type": "string",
              "default": "active",
              "enum": [
               "active",
               "expiring"
              ]
             },
             "endTime": {
              "description": "When it ends.",
              "type": "string",
              "format": "date-time"
             },
             "interruptible": {
              "description": "Whether its owner may reclaim the capacity.",
              "type": "boolean"
             }
            }
           }
          },
          "instanceProfile": {
           "description": "Instance profile in use.",
           "type": "string"
          },
          "conditions": {
           "description": "Conditions of the class; Ready sums up the others.",
           "type": "array",
           "items": {
            "description": "One aspect of the observed state.",
            "type": "object",
            "required": [
             "lastTransitionTime",
             "message",
             "reason",
             "status",
             "type"
            ],
            "properties": {
             "type": {
              "description": "Type of the condition.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
              "maxLength": 316
             },
             "status": {
              "description": "Whether the condition holds.",
              "type": "string",
              "enum": [
               "True",
               "False",
               "Unknown"
              ]
             },
             "lastTransitionTime": {
              "description": "When status last changed.",
              "type": "string",
              "format": "date-time"
             },
             "observedGeneration": {
              "description": "The metadata.generation that the condition was computed from.",
              "type": "integer",
              "format": "int64",
              "minimum": 0
             },
             "reason": {
              "description": "Why the condition has this status, in one word.",
              "type": "string",
              "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
              "minLength": 1,
              "maxLength": 1024
             },
             "message": {
              "description": "The same for a reader; may be empty.",
              "type": "string",
              "maxLength": 32768
             }
            }
           }
          },
          "observedGeneration": {
           "description": "The metadata.generation this status was computed from.",
           "type": "integer",
           "format": "int64"
          },
          "currentHash": {
           "description": "Hash of the class that the up-to-date nodes were launched from.",
           "type": "string"
          },
          "targetHash": {
           "description": "Hash of the class as it stands now.",
           "type": "string"
          },
          "target": {
           "description": "What an approval has to name: the hash of the class and a digest of the images it resolves to.",
           "type": "string"
          },
          "currentImages": {
           "description": "Ids of the images that nodes run now, sorted.",
           "type": "array",
           "maxItems": 100,
           "items": {
            "type": "string"
           },
           "x-kubernetes-list-type": "atomic"
          },
          "targetImages": {
           "description": "Ids of the images that new nodes are launched with, sorted.",
           "type": "array",
           "maxItems": 100,
           "items": {
            "type": "string"
           },
           "x-kubernetes-list-type": "atomic"
          },
          "nodes": {
           "description": "Number of nodes launched from the class.",
           "type": "integer",
           "format": "int32"
          },
          "upToDateNodes": {
           "description": "Nodes launched from the present class.",
           "type": "integer",
           "format": "int32"
          },
          "driftedNodes": {
           "description": "Nodes that differ from the present class.",
           "type": "integer",
           "format": "int32"
          },
          "readyNodes": {
           "description": "Nodes of the class that are initialized and ready.",
           "type": "integer",
           "format": "int32"
          },
          "blockedNodes": {
           "description": "Drifted nodes that something keeps from being replaced.",
           "type": "integer",
           "format": "int32"
          },
          "blockedBy": {
           "description": "What keeps drifted nodes from being replaced, most nodes first.",
           "type": "array",
           "maxItems": 10,
           "items": {
            "description": "One thing that keeps drifted nodes from being replaced.",
            "type": "object",
            "required": [
             "reason",
             "nodes",
             "message"
            ],
            "properties": {
             "reason": {
              "description": "What it is, in one word.",
              "type": "string"
             },
             "nodes": {
              "description": "How many nodes it keeps.",
              "type": "integer",
              "format": "int32"
             },
             "message": {
              "description": "The same for a reader, for the first of the nodes by name.",
              "type": "string",
              "maxLength": 1024
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "pinnedImages": {
           "description": "Images used in place of those that the selector finds, after a rollback or an undo.",
           "type": "object",
           "required": [
            "images",
            "insteadOf",
            "reason"
           ],
           "properties": {
            "images": {
             "description": "The images used.",
             "type": "array",
             "maxItems": 100,
             "items": {
              "description": "An image and the instance types it is for.",
              "type": "object",
              "required": [
               "id"
              ],
              "properties": {
               "id": {
                "description": "Id of the image.",
                "type": "string"
               },
               "name": {
                "description": "Name of the image.",
                "type": "string"
               },
               "requirements": {
                "description": "Constraints on the instance types that the image fits.",
                "type": "array",
                "maxItems": 100,
                "items": {
                 "description": "One constraint on a label of instance types.",
                 "type": "object",
                 "required": [
                  "key",
                  "operator"
                 ],
                 "properties": {
                  "key": {
                   "description": "The label.",
                   "type": "string"
                  },
                  "operator": {
                   "description": "How the label relates to the values.",
                   "type": "string"
                  },
                  "values": {
                   "description": "Values for the operator.",
                   "type": "array",
                   "items": {
                    "type": "string"
                   }
                  }
                 }
                }
               }
              }
             }
            },
            "insteadOf": {
             "description": "The target that is not used; the pin ends when the class has another.",
             "type": "string"
            },
            "reason": {
             "description": "Why, for a reader.",
             "type": "string",
             "maxLength": 1024
            },
            "gone": {
             "description": "Ids of those that are not there any more: the images in use stay as they are.",
             "type": "array",
             "maxItems": 100,
             "items": {
              "type": "string"
             }
            },
            "undoTo": {
             "description": "Revision that the annotation undo-to asked for; absent after a rollback.",
             "type": "integer",
             "format": "int64"
            }
           }
          },
          "imageHistory": {
           "description": "Sets of images that the selector found, newest first.",
           "type": "array",
           "maxItems": 10,
           "items": {
            "description": "A set of images that the selector found.",
            "type": "object",
            "required": [
             "revision",
             "images",
             "firstSeen",
             "outcome"
            ],
            "properties": {
             "revision": {
              "description": "Number of the set, counted up.",
              "type": "integer",
              "format": "int64"
             },
             "images": {
              "description": "The images.",
              "type": "array",
              "maxItems": 100,
              "items": {
               "description": "An image and the instance types it is for.",
               "type": "object",
               "required": [
                "id"
               ],
               "properties": {
                "id": {
                 "description": "Id of the image.",
                 "type": "string"
                },
                "name": {
                 "description": "Name of the image.",
                 "type": "string"
                },
                "requirements": {
                 "description": "Constraints on the instance types that the image fits.",
                 "type": "array",
                 "maxItems": 100,
                 "items": {
                  "description": "One constraint on a label of instance types.",
                  "type": "object",
                  "required": [
                   "key",
                   "operator"
                  ],
                  "properties": {
                   "key": {
                    "description": "The label.",
                    "type": "string"
                   },
                   "operator": {
                    "description": "How the label relates to the values.",
                    "type": "string"
                   },
                   "values": {
                    "description": "Values for the operator.",
                    "type": "array",
                    "items": {
                     "type": "string"
                    }
                   }
                  }
                 }
                }
               }
              }
             },
             "firstSeen": {
              "description": "When the selector first found the set.",
              "type": "string",
              "format": "date-time"
             },
             "made": {
              "description": "When the youngest of the images was made.",
              "type": "string",
              "format": "date-time"
             },
             "family": {
              "description": "AMI family of the class with these images: nodes of another family do not boot from them.",
              "type": "string"
             },
             "outcome": {
              "description": "How its rollout ended.",
              "type": "string",
              "enum": [
               "good",
               "bad",
               "unknown"
              ]
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          }
         }
        }
       }
      }
     },
     "subresources": {
      "status": {}
     }
    }
   ]
  }
 },
 {
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
   "name": "nodeclaims.karpenter.sh"
  },
  "spec": {
   "group": "karpenter.sh",
   "names": {
    "categories": [
     "karpenter"
    ],
    "kind": "NodeClaim",
    "listKind": "NodeClaimList",
    "plural": "nodeclaims",
    "singular": "nodeclaim"
   },
   "scope": "Cluster",
   "versions": [
    {
     "name": "v1",
     "served": true,
     "storage": true,
     "additionalPrinterColumns": [
      {
       "name": "Type",
       "type": "string",
       "jsonPath": ".metadata.labels.node\\.kubernetes\\.io/instance-type"
      },
      {
       "name": "Capacity",
       "type": "string",
       "jsonPath": ".metadata.labels.karpenter\\.sh/capacity-type"
      },
      {
       "name": "Zone",
       "type": "string",
       "jsonPath": ".metadata.labels.topology\\.kubernetes\\.io/zone"
      },
      {
       "name": "Node",
       "type": "string",
       "jsonPath": ".status.nodeName"
      },
      {
       "name": "Ready",
       "type": "string",
       "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"
      },
      {
       "name": "Age",
       "type": "date",
       "jsonPath": ".metadata.creationTimestamp"
      },
      {
       "name": "ImageID",
       "type": "string",
       "jsonPath": ".status.imageID",
       "priority": 1
      },
      {
       "name": "ID",
       "type": "string",
       "jsonPath": ".status.providerID",
       "priority": 1
      },
      {
       "name": "NodePool",
       "type": "string",
       "jsonPath": ".metadata.labels.karpenter\\.sh/nodepool",
       "priority": 1
      },
      {
       "name": "NodeClass",
       "type": "string",
       "jsonPath": ".spec.nodeClassRef.name",
       "priority": 1
      },
      {
       "name": "Drifted",
       "type": "string",
       "jsonPath": ".status.conditions[?(@.type==\"Drifted\")].status",
       "priority": 1
      }
     ],
     "schema": {
      "openAPIV3Schema": {
       "description": "A NodeClaim asks for one node and follows it from launch to termination.",
       "type": "object",
       "required": [
        "spec"
       ],
       "properties": {
        "apiVersion": {
         "description": "Version of the API that the object is written in.",
         "type": "string"
        },
        "kind": {
         "description": "Kind of the object.",
         "type": "string"
        },
        "metadata": {
         "type": "object"
        },
        "spec": {
         "description": "What is wanted. It cannot be changed after creation.",
         "type": "object",
         "required": [
          "nodeClassRef",
          "requirements"
         ],
         "properties": {
          "nodeClassRef": {
           "description": "Names the node class, the object with the cloud's side of the configuration.",
           "type": "object",
           "required": [
            "group",
            "kind",
            "name"
           ],
           "properties": {
            "group": {
             "description": "API group of the node class, without a version.",
             "type": "string",
             "pattern": "^[^/]*$",
             "x-kubernetes-validations": [
              {
               "rule": "self != ''",
               "message": "group may not be empty"
              }
             ]
            },
            "kind": {
             "description": "Kind of the node class.",
             "type": "string",
             "x-kubernetes-validations": [
              {
               "rule": "self != ''",
               "message": "kind may not be empty"
              }
             ]
            },
            "name": {
             "description": "Name of the node class.",
             "type": "string",
             "x-kubernetes-validations": [
              {
               "rule": "self != ''",
               "message": "name may not be empty"
              }
             ]
            }
           }
          },
          "requirements": {
           "description": "Constraints on the node's labels.",
           "type": "array",
           "maxItems": 100,
           "items": {
            "description": "One constraint on a node label.",
            "type": "object",
            "required": [
             "key",
             "operator"
            ],
            "properties": {
             "key": {
              "description": "The node label that the requirement constrains.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
              "maxLength": 316,
              "x-kubernetes-validations": [
               {
                "rule": "self in ['karpenter.sh/capacity-type', 'karpenter.sh/nodepool'] || !self.find('^([^/]+)').endsWith('karpenter.sh')",
                "message": "label domain \"karpenter.sh\" is restricted"
               },
               {
                "rule": "self != 'kubernetes.io/hostname'",
                "message": "label \"kubernetes.io/hostname\" is restricted"
               },
               {
                "rule": "self in ['karpenter.k8s.aws/instance-tenancy', 'karpenter.k8s.aws/capacity-reservation-type', 'karpenter.k8s.aws/capacity-reservation-id', 'karpenter.k8s.aws/capacity-reservation-interruptible', 'karpenter.k8s.aws/ec2nodeclass', 'karpenter.k8s.aws/instance-encryption-in-transit-supported', 'karpenter.k8s.aws/nitro-sandbox', 'karpenter.k8s.aws/instance-category', 'karpenter.k8s.aws/instance-hypervisor', 'karpenter.k8s.aws/instance-family', 'karpenter.k8s.aws/instance-generation', 'karpenter.k8s.aws/instance-local-nvme', 'karpenter.k8s.aws/instance-size', 'karpenter.k8s.aws/instance-cpu', 'karpenter.k8s.aws/instance-cpu-manufacturer', 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz', 'karpenter.k8s.aws/instance-memory', 'karpenter.k8s.aws/instance-ebs-bandwidth', 'karpenter.k8s.aws/instance-network-bandwidth', 'karpenter.k8s.aws/instance-gpu-name', 'karpenter.k8s.aws/instance-gpu-manufacturer', 'karpenter.k8s.aws/instance-gpu-count', 'karpenter.k8s.aws/instance-gpu-memory', 'karpenter.k8s.aws/instance-accelerator-name', 'karpenter.k8s.aws/instance-accelerator-manufacturer', 'karpenter.k8s.aws/instance-accelerator-count', 'karpenter.k8s.aws/instance-capability-flex', 'karpenter.k8s.aws/placement-group-id', 'karpenter.k8s.aws/placement-group-partition'] || !self.find('^([^/]+)').endsWith('karpenter.k8s.aws')",
                "message": "label domain \"karpenter.k8s.aws\" is restricted"
               }
              ]
             },
             "operator": {
              "description": "How the label relates to the values.",
              "type": "string",
              "enum": [
               "Gte",
               "Lte",
               "In",
               "NotIn",
               "Exists",
               "DoesNotExist",
               "Gt",
               "Lt"
              ]
             },
             "values": {
              "description": "Values for the operator: at least one for In, exactly one non-negative integer for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.",
              "type": "array",
              "items": {
               "type": "string"
              },
              "x-kubernetes-list-type": "atomic"
             },
             "minValues": {
              "description": "How many different values of this label the instance types to choose from must offer at least.",
              "type": "integer",
              "minimum": 1,
              "maximum": 50
             }
            }
           },
           "x-kubernetes-list-type": "atomic",
           "x-kubernetes-validations": [
            {
             "rule": "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
             "message": "requirements with operator 'In' must have a value defined"
            },
            {
             "rule": "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == 'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
             "message": "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer value"
            },
            {
             "rule": "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)",
             "message": "requirements with 'minValues' must have at least that many values specified in the 'values' field"
            }
           ]
          },
          "resources": {
           "description": "Resources the node must have at least.",
           "type": "object",
           "properties": {
            "requests": {
             "description": "Requests of the pods the node is meant for, daemons included.",
             "type": "object",
             "additionalProperties": {
              "description": "A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.",
              "x-kubernetes-int-or-string": true,
              "anyOf": [
               {
                "type": "integer"
               },
               {
                "type": "string"
               }
              ],
              "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
             }
            }
           }
          },
          "taints": {
           "description": "Taints of the node.",
           "type": "array",
           "items": {
            "description": "Keeps away every pod that does not tolerate it.",
            "type": "object",
            "required": [
             "effect",
             "key"
            ],
            "properties": {
             "key": {
              "description": "Key of the taint, a qualified name.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
              "minLength": 1
             },
             "value": {
              "description": "Value of the taint. Leave it out rather than giving an empty text.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"
             },
             "effect": {
              "description": "What happens to pods without a toleration: NoSchedule and PreferNoSchedule act on scheduling, NoExecute also evicts.",
              "type": "string",
              "enum": [
               "NoSchedule",
               "PreferNoSchedule",
               "NoExecute"
              ]
             },
             "timeAdded": {
              "description": "When the taint was added. Only written for NoExecute.",
              "type": "string",
              "format": "date-time"
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "startupTaints": {
           "description": "Taints the node starts with, which something else removes; the node is initialized once they are gone.",
           "type": "array",
           "items": {
            "description": "Keeps away every pod that does not tolerate it.",
            "type": "object",
            "required": [
             "effect",
             "key"
            ],
            "properties": {
             "key": {
              "description": "Key of the taint, a qualified name.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
              "minLength": 1
             },
             "value": {
              "description": "Value of the taint. Leave it out rather than giving an empty text.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"
             },
             "effect": {
              "description": "What happens to pods without a toleration: NoSchedule and PreferNoSchedule act on scheduling, NoExecute also evicts.",
              "type": "string",
              "enum": [
               "NoSchedule",
               "PreferNoSchedule",
               "NoExecute"
              ]
             },
             "timeAdded": {
              "description": "When the taint was added. Only written for NoExecute.",
              "type": "string",
              "format": "date-time"
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "expireAfter": {
           "description": "How long a node may live before it is drained and replaced, by force if need be. Never switches it off.",
           "type": "string",
           "default": "720h",
           "pattern": "^(([0-9]+(s|m|h))+|Never)$"
          },
          "terminationGracePeriod": {
           "description": "How long a node may drain before what is left on it is deleted and the instance ends. Without it, draining has no limit.",
           "type": "string",
           "pattern": "^([0-9]+(s|m|h))+$"
          }
         },
         "x-kubernetes-validations": [
          {
           "rule": "self == oldSelf",
           "message": "spec is immutable"
          }
         ]
        },
        "status": {
         "description": "What was observed.",
         "type": "object",
         "properties": {
          "nodeName": {
           "description": "Name of the node that belongs to the claim.",
           "type": "string"
          },
          "providerID": {
           "description": "Identity of the instance, as in the node's spec.providerID.",
           "type": "string"
          },
          "imageID": {
           "description": "Image the instance was launched from.",
           "type": "string"
          },
          "capacity": {
           "description": "Estimated capacity of the node.",
           "type": "object",
           "additionalProperties": {
            "description": "A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.",
            "x-kubernetes-int-or-string": true,
            "anyOf": [
             {
              "type": "integer"
             },
             {
              "type": "string"
             }
            ],
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
           }
          },
          "allocatable": {
           "description": "Estimated allocatable resources of the node.",
           "type": "object",
           "additionalProperties": {
            "description": "A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.",
            "x-kubernetes-int-or-string": true,
            "anyOf": [
             {
              "type": "integer"
             },
             {
              "type": "string"
             }
            ],
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
           }
          },
          "lastPodEventTime": {
           "description": "When a pod was last bound to the node or left it.",
           "type": "string",
           "format": "date-time"
          },
          "conditions": {
           "description": "Conditions of the claim; Ready sums up Launched, Registered and Initialized.",
           "type": "array",
           "items": {
            "description": "One aspect of the observed state. Reason and message may be absent, unlike in other kinds.",
            "type": "object",
            "required": [
             "lastTransitionTime",
             "status",
             "type"
            ],
            "properties": {
             "type": {
              "description": "Type of the condition.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
              "maxLength": 316
             },
             "status": {
              "description": "Whether the condition holds.",
              "type": "string",
              "enum": [
               "True",
               "False",
               "Unknown"
              ]
             },
             "lastTransitionTime": {
              "description": "When status last changed.",
              "type": "string",
              "format": "date-time"
             },
             "observedGeneration": {
              "description": "The metadata.generation that the condition was computed from.",
              "type": "integer",
              "format": "int64",
              "minimum": 0
             },
             "reason": {
              "description": "Why the condition has this status, in one word.",
              "type": "string",
              "pattern": "^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$",
              "maxLength": 1024
             },
             "message": {
              "description": "The same for a reader.",
              "type": "string",
              "maxLength": 32768
             }
            }
           },
           "x-kubernetes-list-type": "map",
           "x-kubernetes-list-map-keys": [
            "type"
           ]
          }
         }
        }
       }
      }
     },
     "subresources": {
      "status": {}
     }
    }
   ]
  }
 },
 {
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
   "name": "nodepools.karpenter.sh"
  },
  "spec": {
   "group": "karpenter.sh",
   "names": {
    "categories": [
     "karpenter"
    ],
    "kind": "NodePool",
    "listKind": "NodePoolList",
    "plural": "nodepools",
    "singular": "nodepool"
   },
   "scope": "Cluster",
   "versions": [
    {
     "name": "v1",
     "served": true,
     "storage": true,
     "additionalPrinterColumns": [
      {
       "name": "NodeClass",
       "type": "string",
       "jsonPath": ".spec.template.spec.nodeClassRef.name"
      },
      {
       "name": "Nodes",
       "type": "string",
       "jsonPath": ".status.nodes"
      },
      {
       "name": "Ready",
       "type": "string",
       "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"
      },
      {
       "name": "Age",
       "type": "date",
       "jsonPath": ".metadata.creationTimestamp"
      },
      {
       "name": "Weight",
       "type": "integer",
       "jsonPath": ".spec.weight",
       "priority": 1
      },
      {
       "name": "CPU",
       "type": "string",
       "jsonPath": ".status.resources.cpu",
       "priority": 1
      },
      {
       "name": "Memory",
       "type": "string",
       "jsonPath": ".status.resources.memory",
       "priority": 1
      }
     ],
     "schema": {
      "openAPIV3Schema": {
       "description": "A NodePool says which nodes may be made for pending pods, within which limits, and when they may be disrupted.",
       "type": "object",
       "required": [
        "spec"
       ],
       "properties": {
        "apiVersion": {
         "description": "Version of the API that the object is written in.",
         "type": "string"
        },
        "kind": {
         "description": "Kind of the object.",
         "type": "string"
        },
        "metadata": {
         "type": "object"
        },
        "spec": {
         "description": "What is wanted.",
         "type": "object",
         "required": [
          "template"
         ],
         "properties": {
          "template": {
           "description": "What the NodeClaims of the pool are made from.",
           "type": "object",
           "required": [
            "spec"
           ],
           "properties": {
            "metadata": {
             "description": "Labels and annotations for the nodes.",
             "type": "object",
             "properties": {
              "labels": {
               "description": "Labels put on every node of the pool.",
               "type": "object",
               "maxProperties": 100,
               "additionalProperties": {
                "type": "string",
                "pattern": "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
                "maxLength": 63
               },
               "x-kubernetes-map-type": "atomic",
               "x-kubernetes-validations": [
                {
                 "rule": "self.all(x, x in ['karpenter.sh/capacity-type', 'karpenter.sh/nodepool'] || !x.find('^([^/]+)').endsWith('karpenter.sh'))",
                 "message": "label domain \"karpenter.sh\" is restricted"
                },
                {
                 "rule": "self.all(x, x != 'karpenter.sh/nodepool')",
                 "message": "label \"karpenter.sh/nodepool\" is restricted"
                },
                {
                 "rule": "self.all(x, x != 'kubernetes.io/hostname')",
                 "message": "label \"kubernetes.io/hostname\" is restricted"
                },
                {
                 "rule": "self.all(x, x in ['karpenter.k8s.aws/instance-tenancy', 'karpenter.k8s.aws/capacity-reservation-type', 'karpenter.k8s.aws/capacity-reservation-id', 'karpenter.k8s.aws/capacity-reservation-interruptible', 'karpenter.k8s.aws/ec2nodeclass', 'karpenter.k8s.aws/instance-encryption-in-transit-supported', 'karpenter.k8s.aws/nitro-sandbox', 'karpenter.k8s.aws/instance-category', 'karpenter.k8s.aws/instance-hypervisor', 'karpenter.k8s.aws/instance-family', 'karpenter.k8s.aws/instance-generation', 'karpenter.k8s.aws/instance-local-nvme', 'karpenter.k8s.aws/instance-size', 'karpenter.k8s.aws/instance-cpu', 'karpenter.k8s.aws/instance-cpu-manufacturer', 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz', 'karpenter.k8s.aws/instance-memory', 'karpenter.k8s.aws/instance-ebs-bandwidth', 'karpenter.k8s.aws/instance-network-bandwidth', 'karpenter.k8s.aws/instance-gpu-name', 'karpenter.k8s.aws/instance-gpu-manufacturer', 'karpenter.k8s.aws/instance-gpu-count', 'karpenter.k8s.aws/instance-gpu-memory', 'karpenter.k8s.aws/instance-accelerator-name', 'karpenter.k8s.aws/instance-accelerator-manufacturer', 'karpenter.k8s.aws/instance-accelerator-count', 'karpenter.k8s.aws/instance-capability-flex', 'karpenter.k8s.aws/placement-group-id', 'karpenter.k8s.aws/placement-group-partition'] || !x.find('^([^/]+)').endsWith('karpenter.k8s.aws'))",
                 "message": "label domain \"karpenter.k8s.aws\" is restricted"
                }
               ]
              },
              "annotations": {
               "description": "Annotations put on every node of the pool.",
               "type": "object",
               "additionalProperties": {
                "type": "string"
               }
              }
             }
            },
            "spec": {
             "description": "Spec of the NodeClaims of the pool.",
             "type": "object",
             "required": [
              "nodeClassRef",
              "requirements"
             ],
             "properties": {
              "nodeClassRef": {
               "description": "Names the node class, the object with the cloud's side of the configuration.",
               "type": "object",
               "required": [
                "group",
                "kind",
                "name"
               ],
               "properties": {
                "group": {
                 "description": "API group of the node class, without a version.",
                 "type": "string",
                 "pattern": "^[^/]*$",
                 "x-kubernetes-validations": [
                  {
                   "rule": "self != ''",
                   "message": "group may not be empty"
                  }
                 ]
                },
                "kind": {
                 "description": "Kind of the node class.",
                 "type": "string",
                 "x-kubernetes-validations": [
                  {
                   "rule": "self != ''",
                   "message": "kind may not be empty"
                  }
                 ]
                },
                "name": {
                 "description": "Name of the node class.",
                 "type": "string",
                 "x-kubernetes-validations": [
                  {
                   "rule": "self != ''",
                   "message": "name may not be empty"
                  }
                 ]
                }
               },
               "x-kubernetes-validations": [
                {
                 "rule": "self.group == oldSelf.group",
                 "message": "nodeClassRef.group is immutable"
                },
                {
                 "rule": "self.kind == oldSelf.kind",
                 "message": "nodeClassRef.kind is immutable"
                }
               ]
              },
              "requirements": {
               "description": "Constraints on the node's labels; together with those of the pods they select instance types, zones and capacity types.",
               "type": "array",
               "maxItems": 100,
               "items": {
                "description": "One constraint on a node label.",
                "type": "object",
                "required": [
                 "key",
                 "operator"
                ],
                "properties": {
                 "key": {
                  "description": "The node label that the requirement constrains.",
                  "type": "string",
                  "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
                  "maxLength": 316,
                  "x-kubernetes-validations": [
                   {
                    "rule": "self in ['karpenter.sh/capacity-type', 'karpenter.sh/nodepool'] || !self.find('^([^/]+)').endsWith('karpenter.sh')",
                    "message": "label domain \"karpenter.sh\" is restricted"
                   },
                   {
                    "rule": "self != 'kubernetes.io/hostname'",
                    "message": "label \"kubernetes.io/hostname\" is restricted"
                   },
                   {
                    "rule": "self in ['karpenter.k8s.aws/instance-tenancy', 'karpenter.k8s.aws/capacity-reservation-type', 'karpenter.k8s.aws/capacity-reservation-id', 'karpenter.k8s.aws/capacity-reservation-interruptible', 'karpenter.k8s.aws/ec2nodeclass', 'karpenter.k8s.aws/instance-encryption-in-transit-supported', 'karpenter.k8s.aws/nitro-sandbox', 'karpenter.k8s.aws/instance-category', 'karpenter.k8s.aws/instance-hypervisor', 'karpenter.k8s.aws/instance-family', 'karpenter.k8s.aws/instance-generation', 'karpenter.k8s.aws/instance-local-nvme', 'karpenter.k8s.aws/instance-size', 'karpenter.k8s.aws/instance-cpu', 'karpenter.k8s.aws/instance-cpu-manufacturer', 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz', 'karpenter.k8s.aws/instance-memory', 'karpenter.k8s.aws/instance-ebs-bandwidth', 'karpenter.k8s.aws/instance-network-bandwidth', 'karpenter.k8s.aws/instance-gpu-name', 'karpenter.k8s.aws/instance-gpu-manufacturer', 'karpenter.k8s.aws/instance-gpu-count', 'karpenter.k8s.aws/instance-gpu-memory', 'karpenter.k8s.aws/instance-accelerator-name', 'karpenter.k8s.aws/instance-accelerator-manufacturer', 'karpenter.k8s.aws/instance-accelerator-count', 'karpenter.k8s.aws/instance-capability-flex', 'karpenter.k8s.aws/placement-group-id', 'karpenter.k8s.aws/placement-group-partition'] || !self.find('^([^/]+)').endsWith('karpenter.k8s.aws')",
                    "message": "label domain \"karpenter.k8s.aws\" is restricted"
                   },
                   {
                    "rule": "self != 'karpenter.sh/nodepool'",
                    "message": "label \"karpenter.sh/nodepool\" is restricted"
                   }
                  ]
                 },
                 "operator": {
                  "description": "How the label relates to the values.",
                  "type": "string",
                  "enum": [
                   "Gte",
                   "Lte",
                   "In",
                   "NotIn",
                   "Exists",
                   "DoesNotExist",
                   "Gt",
                   "Lt"
                  ]
                 },
                 "values": {
                  "description": "Values for the operator: at least one for In, exactly one non-negative integer for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.",
                  "type": "array",
                  "items": {
                   "type": "string"
                  },
                  "x-kubernetes-list-type": "atomic"
                 },
                 "minValues": {
                  "description": "How many different values of this label the instance types to choose from must offer at least.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 50
                 }
                }
               },
               "x-kubernetes-list-type": "atomic",
               "x-kubernetes-validations": [
                {
                 "rule": "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
                 "message": "requirements with operator 'In' must have a value defined"
                },
                {
                 "rule": "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == 'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
                 "message": "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer value"
                },
                {
                 "rule": "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)",
                 "message": "requirements with 'minValues' must have at least that many values specified in the 'values' field"
                }
               ]
              },
              "taints": {
               "description": "Taints that every node of the pool carries.",
               "type": "array",
               "items": {
                "description": "Keeps away every pod that does not tolerate it.",
                "type": "object",
                "required": [
                 "effect",
                 "key"
                ],
                "properties": {
                 "key": {
                  "description": "Key of the taint, a qualified name.",
                  "type": "string",
                  "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
                  "minLength": 1
                 },
                 "value": {
                  "description": "Value of the taint. Leave it out rather than giving an empty text.",
                  "type": "string",
                  "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"
                 },
                 "effect": {
                  "description": "What happens to pods without a toleration: NoSchedule and PreferNoSchedule act on scheduling, NoExecute also evicts.",
                  "type": "string",
                  "enum": [
                   "NoSchedule",
                   "PreferNoSchedule",
                   "NoExecute"
                  ]
                 },
                 "timeAdded": {
                  "description": "When the taint was added. Only written for NoExecute.",
                  "type": "string",
                  "format": "date-time"
                 }
                }
               },
               "x-kubernetes-list-type": "atomic"
              },
              "startupTaints": {
               "description": "Taints a new node starts with, which something else removes; pods need not tolerate them. The node is initialized once they are gone.",
               "type": "array",
               "items": {
                "description": "Keeps away every pod that does not tolerate it.",
                "type": "object",
                "required": [
                 "effect",
                 "key"
                ],
                "properties": {
                 "key": {
                  "description": "Key of the taint, a qualified name.",
                  "type": "string",
                  "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
                  "minLength": 1
                 },
                 "value": {
                  "description": "Value of the taint. Leave it out rather than giving an empty text.",
                  "type": "string",
                  "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"
                 },
                 "effect": {
                  "description": "What happens to pods without a toleration: NoSchedule and PreferNoSchedule act on scheduling, NoExecute also evicts.",
                  "type": "string",
                  "enum": [
                   "NoSchedule",
                   "PreferNoSchedule",
                   "NoExecute"
                  ]
                 },
                 "timeAdded": {
                  "description": "When the taint was added. Only written for NoExecute.",
                  "type": "string",
                  "format": "date-time"
                 }
                }
               },
               "x-kubernetes-list-type": "atomic"
              },
              "expireAfter": {
               "description": "How long a node may live before it is drained and replaced, by force if need be. Never switches it off.",
               "type": "string",
               "default": "720h",
               "pattern": "^(([0-9]+(s|m|h))+|Never)$"
              },
              "terminationGracePeriod": {
               "description": "How long a node may drain before what is left on it is deleted and the instance ends. Without it, draining has no limit.",
               "type": "string",
               "pattern": "^([0-9]+(s|m|h))+$"
              }
             }
            }
           }
          },
          "disruption": {
           "description": "When, and how many at a time, nodes may be disrupted voluntarily.",
           "type": "object",
           "default": {
            "consolidateAfter": "0s"
           },
           "required": [
            "consolidateAfter"
           ],
           "properties": {
            "consolidateAfter": {
             "description": "How long a node must be without pod changes before it may be consolidated. Never switches consolidation off.",
             "type": "string",
             "pattern": "^(([0-9]+(s|m|h))+|Never)$"
            },
            "consolidationPolicy": {
             "description": "Which nodes may be consolidated: empty ones only, underused ones too, or underused ones weighed against the disruption.",
             "type": "string",
             "default": "WhenEmptyOrUnderutilized",
             "enum": [
              "WhenEmpty",
              "WhenEmptyOrUnderutilized",
              "Balanced"
             ]
            },
            "budgets": {
             "description": "How many nodes may be disrupted at once. The strictest active budget of a reason counts; without an active budget there is no bound.",
             "type": "array",
             "default": [
              {
               "nodes": "10%"
              }
             ],
             "maxItems": 50,
             "items": {
              "description": "A bound on simultaneous disruptions, always or in a recurring window.",
              "type": "object",
              "required": [
               "nodes"
              ],
              "properties": {
               "nodes": {
                "description": "Nodes that may be disrupted at once: a number, or a percentage of the pool's nodes, rounded up. 0 stops disruption.",
                "type": "string",
                "default": "10%",
                "pattern": "^((100|[0-9]{1,2})%|[0-9]+)$"
               },
               "reasons": {
                "description": "Reasons for disruption that the budget bounds. Absent: all.",
                "type": "array",
                "maxItems": 50,
                "items": {
                 "type": "string",
                 "enum": [
                  "Underutilized",
                  "Empty",
                  "Drifted"
                 ]
                },
                "x-kubernetes-list-type": "set"
               },
               "schedule": {
                "description": "Start of the window: five cron fields or a macro such as @daily, in UTC. Needs duration.",
                "type": "string",
                "pattern": "^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$"
               },
               "duration": {
                "description": "Length of the window in hours and minutes. Needs schedule.",
                "type": "string",
                "pattern": "^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$"
               }
              }
             },
             "x-kubernetes-list-type": "atomic",
             "x-kubernetes-validations": [
              {
               "rule": "self.all(x, has(x.schedule) == has(x.duration))",
               "message": "'schedule' must be set with 'duration'"
              }
             ]
            }
           }
          },
          "limits": {
           "description": "Upper bounds for all nodes of the pool together, by resource name; nodes bounds their number. Reaching a limit stops launches, never running nodes.",
           "type": "object",
           "additionalProperties": {
            "description": "A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.",
            "x-kubernetes-int-or-string": true,
            "anyOf": [
             {
              "type": "integer"
             },
             {
              "type": "string"
             }
            ],
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
           }
          },
          "weight": {
           "description": "Pools with a higher weight are tried first. Absent counts as 0.",
           "type": "integer",
           "format": "int32",
           "minimum": 1,
           "maximum": 100
          },
          "replicas": {
           "description": "Makes the pool static: it keeps this many nodes whatever pods are pending. It cannot be added or removed later.",
           "type": "integer",
           "format": "int64",
           "minimum": 0
          }
         },
         "x-kubernetes-validations": [
          {
           "rule": "has(self.replicas) == has(oldSelf.replicas)",
           "message": "Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning modes"
          },
          {
           "rule": "!has(self.replicas) || !has(self.limits) || self.limits.all(x, x == 'nodes')",
           "message": "only 'limits.nodes' is supported on static NodePools"
          },
          {
           "rule": "!has(self.replicas) || !has(self.weight)",
           "message": "'weight' is not supported on static NodePools"
          }
         ]
        },
        "status": {
         "description": "What was observed.",
         "type": "object",
         "properties": {
          "resources": {
           "description": "Sum over the nodes of the pool, with their number under nodes.",
           "type": "object",
           "additionalProperties": {
            "description": "A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.",
            "x-kubernetes-int-or-string": true,
            "anyOf": [
             {
              "type": "integer"
             },
             {
              "type": "string"
             }
            ],
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
           }
          },
          "nodes": {
           "description": "Number of nodes.",
           "type": "integer",
           "format": "int64",
           "default": 0
          },
          "nodeClassObservedGeneration": {
           "description": "Generation of the node class that NodeRegistrationHealthy speaks of.",
           "type": "integer",
           "format": "int64"
          },
          "conditions": {
           "description": "Conditions of the object; Ready sums up the others.",
           "type": "array",
           "items": {
            "description": "One aspect of the observed state.",
            "type": "object",
            "required": [
             "lastTransitionTime",
             "message",
             "reason",
             "status",
             "type"
            ],
            "properties": {
             "type": {
              "description": "Type of the condition.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
              "maxLength": 316
             },
             "status": {
              "description": "Whether the condition holds.",
              "type": "string",
              "enum": [
               "True",
               "False",
               "Unknown"
              ]
             },
             "lastTransitionTime": {
              "description": "When status last changed.",
              "type": "string",
              "format": "date-time"
             },
             "observedGeneration": {
              "description": "The metadata.generation that the condition was computed from.",
              "type": "integer",
              "format": "int64",
              "minimum": 0
             },
             "reason": {
              "description": "Why the condition has this status, in one word.",
              "type": "string",
              "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
              "minLength": 1,
              "maxLength": 1024
             },
             "message": {
              "description": "The same for a reader; may be empty.",
              "type": "string",
              "maxLength": 32768
             }
            }
           },
           "x-kubernetes-list-type": "map",
           "x-kubernetes-list-map-keys": [
            "type"
           ]
          },
          "observedGeneration": {
           "description": "The metadata.generation this status was computed from.",
           "type": "integer",
           "format": "int64"
          },
          "currentHash": {
           "description": "Hash of the template that the up-to-date nodes were made from.",
           "type": "string"
          },
          "targetHash": {
           "description": "Hash of the template as it stands now.",
           "type": "string"
          },
          "target": {
           "description": "What an approval has to name: the hash of the template and a digest of the target of the node class.",
           "type": "string"
          },
          "upToDateNodes": {
           "description": "Nodes made from the present template and node class.",
           "type": "integer",
           "format": "int32"
          },
          "driftedNodes": {
           "description": "Nodes that differ from the present template or node class.",
           "type": "integer",
           "format": "int32"
          },
          "readyNodes": {
           "description": "Nodes that are initialized and ready.",
           "type": "integer",
           "format": "int32"
          },
          "blockedNodes": {
           "description": "Drifted nodes that something keeps from being replaced.",
           "type": "integer",
           "format": "int32"
          },
          "blockedBy": {
           "description": "What keeps drifted nodes from being replaced, most nodes first.",
           "type": "array",
           "maxItems": 10,
           "items": {
            "description": "One thing that keeps drifted nodes from being replaced.",
            "type": "object",
            "required": [
             "reason",
             "nodes",
             "message"
            ],
            "properties": {
             "reason": {
              "description": "What it is, in one word.",
              "type": "string"
             },
             "nodes": {
              "description": "How many nodes it keeps.",
              "type": "integer",
              "format": "int32"
             },
             "message": {
              "description": "The same for a reader, for the first of the nodes by name.",
              "type": "string",
              "maxLength": 1024
             }
            }
           },
           "x-kubernetes-list-type": "atomic"
          },
          "rollout": {
           "description": "The node rollout under way or the last one.",
           "type": "object",
           "properties": {
            "policy": {
             "description": "Name of the RolloutPolicy that governs the pool.",
             "type": "string"
            },
            "phase": {
             "description": "Where the rollout stands.",
             "type": "string",
             "enum": [
              "Idle",
              "Waiting",
              "AwaitingApproval",
              "Progressing",
              "Soaking",
              "Paused",
              "Halted",
              "RollingBack",
              "Completed"
             ]
            },
            "reason": {
             "description": "Why it stands there, in one word.",
             "type": "string"
            },
            "message": {
             "description": "The same for a reader.",
             "type": "string",
             "maxLength": 32768
            },
            "revision": {
             "description": "Identity of what is being rolled out.",
             "type": "string"
            },
            "step": {
             "description": "Index of the present step, from 0.",
             "type": "integer",
             "format": "int32"
            },
            "steps": {
             "description": "Number of steps.",
             "type": "integer",
             "format": "int32"
            },
            "totalNodes": {
             "description": "Nodes that the rollout covers.",
             "type": "integer",
             "format": "int32"
            },
            "updatedNodes": {
             "description": "Nodes of the new revision so far.",
             "type": "integer",
             "format": "int32"
            },
            "startTime": {
             "description": "When the rollout began.",
             "type": "string",
             "format": "date-time"
            },
            "stepStartTime": {
             "description": "When the present step began.",
             "type": "string",
             "format": "date-time"
            },
            "completionTime": {
             "description": "When the rollout ended.",
             "type": "string",
             "format": "date-time"
            }
           }
          }
         }
        }
       }
      }
     },
     "subresources": {
      "status": {},
      "scale": {
       "specReplicasPath": ".spec.replicas",
       "statusReplicasPath": ".status.nodes"
      }
     }
    }
   ]
  }
 },
 {
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
   "name": "nodeoverlays.karpenter.sh"
  },
  "spec": {
   "group": "karpenter.sh",
   "names": {
    "categories": [
     "karpenter"
    ],
    "kind": "NodeOverlay",
    "listKind": "NodeOverlayList",
    "plural": "nodeoverlays",
    "shortNames": [
     "overlays"
    ],
    "singular": "nodeoverlay"
   },
   "scope": "Cluster",
   "versions": [
    {
     "name": "v1alpha1",
     "served": true,
     "storage": true,
     "additionalPrinterColumns": [
      {
       "name": "Ready",
       "type": "string",
       "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"
      },
      {
       "name": "Age",
       "type": "date",
       "jsonPath": ".metadata.creationTimestamp"
      },
      {
       "name": "Weight",
       "type": "integer",
       "jsonPath": ".spec.weight",
       "priority": 1
      }
     ],
     "schema": {
      "openAPIV3Schema": {
       "description": "A NodeOverlay corrects the price or adds resources of instance types as scheduling sees them.",
       "type": "object",
       "required": [
        "spec"
       ],
       "properties": {
        "apiVersion": {
         "description": "Version of the API that the object is written in.",
         "type": "string"
        },
        "kind": {
         "description": "Kind of the object.",
         "type": "string"
        },
        "metadata": {
         "type": "object"
        },
        "spec": {
         "description": "Which instance types are changed, and how.",
         "type": "object",
         "required": [
          "requirements"
         ],
         "properties": {
          "requirements": {
           "description": "Selects instance types and offerings by their labels.",
           "type": "array",
           "maxItems": 100,
           "items": {
            "description": "One constraint on a label of instance types.",
            "type": "object",
            "required": [
             "key",
             "operator"
            ],
            "properties": {
             "key": {
              "description": "The node label that the requirement constrains.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
              "maxLength": 316,
              "x-kubernetes-validations": [
               {
                "rule": "self in ['karpenter.sh/capacity-type', 'karpenter.sh/nodepool'] || !self.find('^([^/]+)').endsWith('karpenter.sh')",
                "message": "label domain \"karpenter.sh\" is restricted"
               },
               {
                "rule": "self != 'kubernetes.io/hostname'",
                "message": "label \"kubernetes.io/hostname\" is restricted"
               },
               {
                "rule": "self in ['karpenter.k8s.aws/ec2nodeclass', 'karpenter.k8s.aws/instance-encryption-in-transit-supported', 'karpenter.k8s.aws/nitro-sandbox', 'karpenter.k8s.aws/instance-category', 'karpenter.k8s.aws/instance-hypervisor', 'karpenter.k8s.aws/instance-family', 'karpenter.k8s.aws/instance-generation', 'karpenter.k8s.aws/instance-local-nvme', 'karpenter.k8s.aws/instance-size', 'karpenter.k8s.aws/instance-cpu', 'karpenter.k8s.aws/instance-cpu-manufacturer', 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz', 'karpenter.k8s.aws/instance-memory', 'karpenter.k8s.aws/instance-ebs-bandwidth', 'karpenter.k8s.aws/instance-network-bandwidth', 'karpenter.k8s.aws/instance-gpu-name', 'karpenter.k8s.aws/instance-gpu-manufacturer', 'karpenter.k8s.aws/instance-gpu-count', 'karpenter.k8s.aws/instance-gpu-memory', 'karpenter.k8s.aws/instance-accelerator-name', 'karpenter.k8s.aws/instance-accelerator-manufacturer', 'karpenter.k8s.aws/instance-accelerator-count', 'karpenter.k8s.aws/instance-capability-flex'] || !self.find('^([^/]+)').endsWith('karpenter.k8s.aws')",
                "message": "label domain \"karpenter.k8s.aws\" is restricted"
               }
              ]
             },
             "operator": {
              "description": "How the label relates to the values.",
              "type": "string",
              "enum": [
               "Gte",
               "Lte",
               "In",
               "NotIn",
               "Exists",
               "DoesNotExist",
               "Gt",
               "Lt"
              ]
             },
             "values": {
              "description": "Values for the operator: at least one for In, exactly one non-negative integer for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.",
              "type": "array",
              "items": {
               "type": "string"
              },
              "x-kubernetes-list-type": "atomic"
             }
            }
           },
           "x-kubernetes-list-type": "atomic",
           "x-kubernetes-validations": [
            {
             "rule": "self.all(x, x.operator == 'NotIn' ? x.values.size() != 0 : true)",
             "message": "requirements with operator 'NotIn' must have a value defined"
            },
            {
             "rule": "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
             "message": "requirements with operator 'In' must have a value defined"
            },
            {
             "rule": "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == 'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
             "message": "requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single positive integer value"
            }
           ]
          },
          "price": {
           "description": "Price per hour to assume instead of the real one.",
           "type": "string",
           "pattern": "^\\d+(\\.\\d+)?$"
          },
          "priceAdjustment": {
           "description": "Signed change of the price per hour: an amount such as -0.1, or a percentage such as +10%. Not below -100%.",
           "type": "string",
           "pattern": "^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$"
          },
          "capacity": {
           "description": "Extended resources to add to the instance types.",
           "type": "object",
           "additionalProperties": {
            "description": "A Kubernetes quantity: an integer or text such as 500m, 2Gi or 1e3.",
            "x-kubernetes-int-or-string": true,
            "anyOf": [
             {
              "type": "integer"
             },
             {
              "type": "string"
             }
            ],
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
           },
           "x-kubernetes-validations": [
            {
             "rule": "self.all(x, !(x in ['cpu', 'memory', 'ephemeral-storage', 'pods']))",
             "message": "invalid resource restricted"
            }
           ]
          },
          "weight": {
           "description": "Where several overlays match, the higher weight wins; equal weights are a conflict. Absent counts as 0.",
           "type": "integer",
           "format": "int32",
           "minimum": 1,
           "maximum": 10000
          }
         },
         "x-kubernetes-validations": [
          {
           "rule": "!has(self.price) || !has(self.priceAdjustment)",
           "message": "cannot set both 'price' and 'priceAdjustment'"
          }
         ]
        },
        "status": {
         "description": "What was observed.",
         "type": "object",
         "properties": {
          "conditions": {
           "description": "Conditions of the object; Ready sums up the others.",
           "type": "array",
           "items": {
            "description": "One aspect of the observed state.",
            "type": "object",
            "required": [
             "lastTransitionTime",
             "message",
             "reason",
             "status",
             "type"
            ],
            "properties": {
             "type": {
              "description": "Type of the condition.",
              "type": "string",
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
              "maxLength": 316
             },
             "status": {
              "description": "Whether the condition holds.",
              "type": "string",
              "enum": [
               "True",
               "False",
               "Unknown"
              ]
             },
             "lastTransitionTime": {
              "description": "When status last changed.",
              "type": "string",
              "format": "date-time"
             },
             "observedGeneration": {
              "description": "The metadata.generation that the condition was computed from.",
              "type": "integer",
              "format": "int64",
              "minimum": 0
             },
             "reason": {
              "description": "Why the condition has this status, in one word.",
              "type": "string",
              "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
              "minLength": 1,
              "maxLength": 1024
             },
             "message": {
              "description": "The same for a reader; may be empty.",
              "type": "string",
              "maxLength": 32768
             }
            }
           },
           "x-kubernetes-list-type": "map",
           "x-kubernetes-list-map-keys": [
            "type"
           ]
          }
         }
        }
       }
      }
     },
     "subresources": {
      "status": {}
     }
    }
   ]
  }
 }
]
