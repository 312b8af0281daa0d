// Package operators has only tests: they run controllers with a real kube-apiserver while
// permissions, namespaces, Secrets and definitions are removed and created again.
//
//	                    ┌─ requests ──► informers ──► controllers
//	kube-apiserver ─────┤   counted, watches ended
//	                    └─ admin    ──► permissions, objects, definitions
//
// A permission that is removed does not end the watches that are open. The tests end a watch
// as a server does after some minutes, so that the next request is refused.
package operators
