// Package apitest is a Kubernetes API server in the process of a test: real
// HTTP, real resource versions, real watches, and no schema, started in a
// millisecond.
//
//	            ┌────────────────────── Server ───────────────────────┐
//	any client  │ faults ► who asks ► path ► resource ► verb ► answer  │
//	──────────► │                                 │                    │
//	            │                       ┌─────────▼─────────┐          │
//	Go test     │  Create, Get, Wait ►  │ store: one version│          │
//	──────────► │                       │ counter, records, │          │
//	            │                       │ a log per table   │          │
//	            └───────────────────────┴───────────────────┴──────────┘
//
// What comes in are the requests of any client: ours, client-go, kubectl, curl.
// What goes out is what a kube-apiserver answers: the same objects, codes,
// reasons and messages, the same events at the same versions.
//
// # The shortest use
//
//	srv := apitest.NewServer(apitest.Options{})
//	defer srv.Close()
//	client, err := rest.New(srv.Config())
//
// # What is served
//
// The kinds of core, apps, batch, coordination, discovery, events, networking
// and rbac from a table; whatever [Server.Register] names; and what
// CustomResourceDefinitions that are created in the server describe.
//
// # What is promised
//
//   - A client cannot tell: one script of requests runs against this server and
//     against kube-apiserver, and the answers are compared. Where they differ,
//     the list of limits below says so.
//   - One version counter for everything; a watch from a version sees each
//     later change once and in order, or is told that the version is too old.
//   - Every goroutine of a server ends with Close.
//   - It works in a testing/synctest bubble, with Options.InMemory.
//
// # Limits
//
// What kube-apiserver does and this server does not. The word before the colon
// is what transcripts in testdata call it.
//
//   - validation: built-in kinds are stored as they come: no schema is checked,
//     no default is filled in, no unknown field is dropped.
//   - encodings: answers are JSON and YAML only. Objects of built-in kinds are read
//     from protobuf as well, which is what client-go's typed clients and kubectl
//     create send; nothing is read or written as CBOR.
package apitest
