// Package kinds describes the kinds that apitest serves. Two tables describe the
// built-in kinds; custom resources are described by their schemas.
//
//	builtin.go ─► Resource    paths, subresources, selectable fields, which
//	                          changes increase the generation
//
//	merge.txt ──┐             the structure of objects and how they are merged
//	            ├─► Type ─┬─► Converter       server-side apply, managedFields
//	a CRD's ────┘         ├─► StrategicMerge  strategic merge patches
//	schema                ├─► FromProtobuf    bodies of client-go's typed clients
//	                      ├─► Trim, Inspect, Unlike   unknown fields and wrong types in built-in kinds
//	                      └─► Prune, Default, DropNulls   the same for custom resources
//
// Tests in e2e/ compare both tables with the sources and Go types of k8s.io/api,
// with client-go and with a real kube-apiserver. A program in e2e/ generates
// merge.txt.
//
// The tables do not contain resources that hold no objects: bindings,
// componentstatuses, the reviews, and the subresources of pods, nodes, services
// and service accounts that open a connection or create another object (attach,
// binding, eviction, exec, log, portforward, proxy, token). Values of the right
// type are not validated. Defaults that the real server sets in objects of
// built-in kinds are not set.
package kinds
