// Package apitest is a Kubernetes API server in the process of a test: real
// HTTP, real resource versions and real watches. It starts in a millisecond and
// does not validate built-in kinds against a schema.
//
//	            ┌────────────────────── Server ───────────────────────┐
//	any client  │ faults ► user ► path ► resource ► verb ► response   │
//	──────────► │                                 │                    │
//	            │                       ┌─────────▼─────────┐          │
//	Go test     │  Create, Get, Wait ►  │ store: one version│          │
//	──────────► │                       │ counter, records, │          │
//	            │                       │ a log per table   │          │
//	            └───────────────────────┴───────────────────┴──────────┘
//
// The server accepts the requests of any client: this module, client-go, kubectl
// or curl. It responds as a kube-apiserver does: the same objects, codes, reasons
// and messages, and the same events at the same versions.
//
// # Getting started
//
//	srv := apitest.NewServer(apitest.Options{})
//	defer srv.Close()
//	client, err := rest.New(srv.Config())
//
// Options configure the server: plain HTTP/1.1, for tests that look at the bytes;
// tokens and an authorization hook, for tests of 401 and 403; definitions of more
// resources. examples/apiserver is a program that serves it on a port.
//
// # Served resources
//
// The server serves the built-in kinds of core, apps, batch, coordination,
// discovery, events, networking and rbac; the resources passed to
// [Server.Register]; and the custom resources whose CustomResourceDefinition is
// created in the server, by a client or from Go. A test can therefore use the same
// crd.yaml as the cluster.
//
//	definition := new(unstructured.Unstructured)
//	err := yaml.Unmarshal(crdYAML, &definition.Object) // sigs.k8s.io/yaml
//	...
//	apitest.Create(t, srv, definition)
//
// # Access from Go
//
// A test creates its objects and inspects the result without a client, with its
// own types:
//
//	pod := apitest.Create(t, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}})
//	...
//	apitest.Wait(t, srv, pod, func(p *Pod) bool { return p.Status.Phase == "Running" })
//
// [Create] describes how the resource of a type is found. [Get], [List], [Update],
// [Modify], [Delete], [Seed], [Wait] and [WaitDeleted] are the other functions. They
// access the store without HTTP, so authorization and faults do not apply to them.
// Clients see their changes as events like any other.
//
// [Server.Requests] returns the log of the clients' requests, for counting and
// for failure messages. [Server.WaitForRequests] waits for requests, and
// [Server.OpenWatches] returns the number of open watches.
//
// # Faults
//
// A [Fault] is a rule: which requests it applies to, when, and what goes wrong.
//
//	srv.Fault(apitest.Fault{
//		Match:  apitest.Match{Verb: "watch", Resource: "pods"},
//		Nth:    2,
//		Action: apitest.AfterEvents(3, apitest.Break()),
//	})
//
// The actions are:
//
//   - at the start of a request, or with [AfterEvents] in the middle of a watch:
//     [Fail], [FailWith], [Respond], [HTML], [Delay], [Silence], [Freeze], [Cut],
//     [Break], [Reset], [Refuse], and [Call], for example with [Server.Compact],
//     [Server.Restart] or [Server.RotateCertificate];
//   - on a response: [TruncateJSON], [WrongKind], [StaleList];
//   - on the events of a watch: [DropBookmarks], [DropInitialEventsEnd],
//     [CutBeforeInitialEventsEnd], [DuplicateEvents], [ReorderEvents],
//     [DelayEvents].
//
// [AfterTime] applies an action that ends a response to a watch, some time after
// the watch began, as a middlebox does.
//
// These methods act without a request that triggers them: [Server.Stop],
// [Server.Start], [Server.RestartFromBackup], [Server.ExpireToken]. Faults compose, in
// the order in which they were set. [InjectedFault.Remove] removes one, and
// [Server.Faults] lists them, one per line, for failure messages. A server without
// faults does no extra work for them.
//
// # Outages
//
// An [Outage] makes the whole server unavailable, from one call to another:
// connections are refused, reset, closed or silent, or responses are truncated,
// 503 or 429.
//
//	end := srv.BeginOutage(apitest.Outage{Kind: apitest.OutageReset})
//	time.Sleep(8 * time.Second) // in a bubble
//	srv.Compact()               // clients that resume get a 410
//	end()
//	seen := srv.Traffic()
//
// [Server.Traffic] counts the connections and requests that the server has
// received, the refused dials, and the highest number of requests within one
// second. With Options.InMemory it counts every dial; on a socket, it counts the
// refused dials of [Server.Dial] only.
//
// # Fake time
//
// With Options.InMemory the connections are pipes, and the server works in a
// testing/synctest bubble: an hour of backoff takes no time, and a test can wait
// until all goroutines are blocked.
//
//	synctest.Test(t, func(t *testing.T) {
//		srv := apitest.NewServer(apitest.Options{InMemory: true})
//		defer srv.Close()
//		client, err := rest.New(srv.Config())
//		require.NoError(t, err)
//		defer client.Close()
//
//		srv.Fault(apitest.Fault{Action: apitest.Delay(time.Hour)})
//		...
//	})
//
// A client with its own dialer uses the Dial of [Server.Config]. Pipes do not
// support HTTP/2: its transport in net/http holds a mutex while it writes, which
// stops fake time.
//
// # Guarantees
//
//   - Apart from the limits below, a client cannot distinguish this server
//     from a kube-apiserver: the same script of requests runs against both,
//     and the responses are compared.
//   - All resources share one version counter. A watch from a version sees each
//     later change once and in order, or is notified that the version is too old.
//   - Every goroutine of a server ends with Close.
//   - The same seed and the same order of requests produce the same uids, generated
//     names and outcomes of faults with a probability.
//   - It works in a testing/synctest bubble, with Options.InMemory.
//
// # Rejected requests
//
// A YAML body with aliases is rejected with 400, since 1 MB of it can expand to 8
// GB of JSON; the real server expands aliases up to a limit. A strategic merge
// patch of lists that takes quadratic time is rejected with 413, from 5,000
// elements on. A write is not stored if its client has already disconnected.
// CONNECT is rejected with 405, and its connection is closed: this server is not
// a proxy.
//
// # Alternatives
//
// client-go's fake clientset and controller-runtime's fake client replace the
// client: the test runs another client than production does, and events between
// its list and its watch are lost. envtest runs the real server and etcd, and
// takes seconds to start. With apitest the client is the real one, including its
// sockets if needed, and only the server is replaced.
//
// # Limits
//
// This server differs from kube-apiserver as follows. The word before the colon is
// the name of the limit in the transcripts in testdata.
//
//   - validation: for built-in kinds, metadata are validated, fields that the kind
//     does not have are dropped and reported, and values of another type than their
//     field's are rejected. Values are not validated otherwise, and no defaults are
//     set: no clusterIP, no imagePullPolicy, no labels of a job's pods, no qosClass.
//     An empty field stays, and quantities stay as they were written. The server
//     sets what tests of controllers wait for: generations, the first phase, the
//     label of a namespace, the data and type of a secret. The schema of a custom
//     resource determines its fields and its defaults, and rejects nothing: types
//     are not checked either.
//   - duplicates: if a field occurs twice in a body, the last one is used; the real
//     server merges the two if both are objects. Both servers warn.
//   - encodings: responses are JSON and YAML only. Objects of built-in kinds are also
//     read from protobuf, which client-go's typed clients and kubectl create send.
//     CBOR is neither read nor written.
//   - headers: responses have no Audit-Id, since there is no audit, and no headers of
//     API priority and fairness, since no request is queued.
//   - columns: as a Table, a built-in kind has a name and its time of creation; its
//     other columns are code in the real server. Custom resources have the columns
//     of their definition.
//   - schemas: OpenAPI contains the kinds and the parameters of a PATCH, from
//     which kubectl learns that the server validates. It describes no fields, so
//     kubectl explain has no output.
//   - rights: there is no RBAC. Options.Authorize decides, for every path.
//     Impersonation is authorized once, as the verb impersonate.
//   - virtual: objects that are computed and never stored are not served: the reviews
//     of authentication and authorization, componentstatuses, bindings and
//     evictions, the tokens of service accounts, and the subresources of pods that
//     connect to a node.
//   - events: the events of core/v1 and of events.k8s.io/v1 are stored separately; the
//     real server has the same events in two forms.
//   - definitions: a CustomResourceDefinition takes effect before the response to
//     its creation; the steps of the controllers are still visible as events. The
//     schema, the names and the paths are checked for the most frequent mistakes;
//     expressions in x-kubernetes-validations are not evaluated, and defaults are
//     not checked against the schema. Conversion by webhook is rejected. After a
//     change of the schema, stored objects follow it with their next write; in the
//     real server, when they are read.
//   - managers: managedFields are as the field manager of this module's apimachinery
//     keeps them. On the next write to an object that its changed schema can no
//     longer read, the real server does not add the writer to the managers; here
//     the writer is added.
package apitest
