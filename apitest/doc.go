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
// Options choose the rest: plain HTTP/1.1 for those who want to see the bytes,
// tokens and an authorisation hook for tests of 401 and 403, definitions of more
// resources. A program that serves it on a port is in examples/apiserver.
//
// # What is served
//
// The kinds of core, apps, batch, coordination, discovery, events, networking
// and rbac from a table; whatever [Server.Register] names; and what
// CustomResourceDefinitions that are created in the server describe, by a client
// or from Go: so the crd.yaml that you apply to your cluster serves the test too.
//
//	definition := new(unstructured.Unstructured)
//	err := yaml.Unmarshal(crdYAML, &definition.Object) // sigs.k8s.io/yaml
//	...
//	apitest.Create(t, srv, definition)
//
// # From Go
//
// A test sets its scene and looks at the outcome without a client, with its own
// types:
//
//	pod := apitest.Create(t, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}})
//	...
//	apitest.Wait(t, srv, pod, func(p *Pod) bool { return p.Status.Phase == "Running" })
//
// [Create] says how a type is taken for a resource. [Get], [List], [Update],
// [Modify], [Delete], [Seed], [Wait] and [WaitGone] are the others. They go to
// the store past HTTP, so nothing is asked for permission and no fault is in
// their way; clients see what they do as events like any other.
//
// [Server.Requests] is the log of what clients asked for, to count and to print;
// [Server.WaitForRequests] waits for more of it, and [Server.OpenWatches] says
// how many watches stand.
//
// # Faults
//
// A [Fault] is a rule: on which requests, when, and what goes wrong.
//
//	srv.Fault(apitest.Fault{
//		On: apitest.Match{Verb: "watch", Resource: "pods"},
//		Nth: 2,
//		Do: apitest.AfterEvents(3, apitest.Break()),
//	})
//
// What can go wrong:
//
//   - when a request comes, or with [AfterEvents] in the middle of a watch:
//     [Fail], [FailWith], [Respond], [HTML], [Delay], [Silence], [Freeze], [Cut],
//     [Break], [Reset], [Refuse], and [Call], for which [Server.Compact],
//     [Server.Restart] and [Server.RotateCertificate] are made;
//   - to an answer: [TruncateJSON], [WrongKind], [StaleList];
//   - to the events of a watch: [DropBookmarks], [DropInitialEventsEnd],
//     [CutBeforeInitialEventsEnd], [DuplicateEvents], [ReorderEvents],
//     [DelayEvents].
//
// The methods do the same without a request that sets them off: [Server.Stop],
// [Server.Start], [Server.RestartBack], [Server.ExpireToken]. Faults compose, in
// the order in which they were set; [Injected.Lift] takes one back, and
// [Server.Faults] lists them, a line each, for failure messages. A server
// without faults pays nothing for them.
//
// # In fake time
//
// With Options.InMemory connections are pipes, and everything works in a
// testing/synctest bubble: an hour of backoff takes no time, and a test can wait
// until all is quiet.
//
//	synctest.Test(t, func(t *testing.T) {
//		srv := apitest.NewServer(apitest.Options{InMemory: true})
//		defer srv.Close()
//		client, err := rest.New(srv.Config())
//		require.NoError(t, err)
//		defer client.Close()
//
//		srv.Fault(apitest.Fault{Do: apitest.Delay(time.Hour)})
//		...
//	})
//
// A client that dials for itself takes the Dial of [Server.Config]. HTTP/2 is
// not spoken on pipes: its transport in net/http holds a mutex while it writes,
// which stops fake time.
//
// # What is promised
//
//   - A client cannot tell: one script of requests runs against this server and
//     against kube-apiserver, and the answers are compared. Where they differ,
//     the list of limits below says so.
//   - One version counter for everything; a watch from a version sees each
//     later change once and in order, or is told that the version is too old.
//   - Every goroutine of a server ends with Close.
//   - The same seed gives the same uids, generated names and outcomes of faults
//     with a probability, for the same order of requests.
//   - It works in a testing/synctest bubble, with Options.InMemory.
//
// # Instead of what
//
// client-go's fake clientset and controller-runtime's fake client take the
// client's place: what is tested is another client than the one that will run,
// and events between its list and its watch are lost. envtest runs the real
// server and etcd, and takes seconds to start. Here the client is the real one,
// down to its sockets if need be, and the server is not.
//
// # Limits
//
// What kube-apiserver does and this server does not. The word before the colon
// is what transcripts in testdata call it.
//
//   - validation: of built-in kinds, metadata are checked, fields that a kind does
//     not have are dropped and told of, and values of another type than their
//     field's are refused; but what the values say is not looked at, and no default
//     is filled in: no clusterIP, no imagePullPolicy, no labels of a job's pods, no
//     qosClass. A field that is there and empty stays, and quantities stay as they
//     were written. What is filled in is what tests of
//     controllers wait for: generations, the first phase, the label of a
//     namespace, the data and type of a secret. The schema of a custom resource
//     says which fields it has and fills in defaults, and refuses nothing: not
//     even types are looked at.
//   - duplicates: of a field that comes twice in a body the last one counts; the
//     real server merges the two where both are objects. Both warn.
//   - encodings: answers are JSON and YAML only. Objects of built-in kinds are read
//     from protobuf as well, which is what client-go's typed clients and kubectl
//     create send; nothing is read or written as CBOR.
//   - headers: answers carry no Audit-Id, as there is no audit, and none of the
//     headers of API priority and fairness, as nobody has to wait.
//   - columns: as a Table, a built-in kind has a name and the time of its creation;
//     the columns of its own are code of each kind in the real server. Custom
//     resources have those of their definition.
//   - texts: the rules of metadata are those of the apimachinery that this module is
//     built with. It may be newer than the server of the transcripts and put some
//     of its complaints in other words.
//   - schemas: OpenAPI names kinds and the parameters of a PATCH, by which kubectl
//     leaves validation to the server; it describes no field, so kubectl explain
//     has nothing to say.
//   - rights: there is no RBAC: who may do what is for Options.Authorize to say, for
//     every path. Impersonation is asked about once, as the verb impersonate.
//   - virtual: what is computed and never stored is not served: the reviews of
//     authentication and authorization, componentstatuses, bindings and evictions,
//     the tokens of service accounts, and the subresources of pods that connect to
//     a node.
//   - events: those of core/v1 and of events.k8s.io/v1 are stored apart, where the
//     real server has the same ones in two forms.
//   - definitions: a CustomResourceDefinition is in force when the answer to its
//     creation comes; the steps of the controllers are events all the same. The
//     schema, the names and the paths are checked for the mistakes that are made
//     most; expressions in x-kubernetes-validations are not looked at, nor are
//     defaults held against the schema. Conversion by webhook is refused. When
//     the schema is changed, the objects that are stored follow as they are
//     written; in the real server as they are read.
//   - managers: they are as the field manager of this module's apimachinery
//     keeps them. With the next write to an object that its schema cannot read any
//     more, since that was changed, 1.36 forgets all managers; here they stay.
package apitest
