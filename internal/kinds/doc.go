// Package kinds is what apitest knows of the kinds that it serves: the built-in
// ones from two tables, custom resources from their schemas.
//
//	builtin.go ─► Resource    where a kind is served, its subresources, what
//	                          selects it, what counts as a change
//
//	merge.txt ──┐             how the parts of an object are put together
//	            ├─► Type ─┬─► Converter       server-side apply, managedFields
//	a CRD's ────┘         ├─► StrategicMerge  strategic merge patches
//	schema                ├─► FromProtobuf    bodies of client-go's typed clients
//	                      ├─► Trim, Inspect, Unlike   what built-in kinds do not have
//	                      └─► Prune, Default, DropNulls   and custom resources
//
// Both tables are held against what they describe in e2e/: the sources and Go
// types of k8s.io/api, client-go, and a real kube-apiserver. merge.txt is
// written there, too.
//
// What is not here are the resources that hold no objects: bindings,
// componentstatuses, the reviews, and the subresources of pods, nodes,
// services and service accounts that connect to something or make something
// else: attach, binding, eviction, exec, log, portforward, proxy, token. Values
// of the right type are not validated, and what the real server fills into objects of built-in
// kinds is not filled in.
package kinds
