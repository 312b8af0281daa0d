// Package debug serves the state of informers: a page for a browser, text for curl,
// and the same content as JSON for programs.
//
//	                     ┌──────────── Handler ───────────┐
//	informers ─ State ─► │ the state of each informer     │
//	          ─ Keys ──► │ the keys of its store, paged   │ ──► html, json, text
//	          ─ Object ► │ one object, without secrets    │
//	Trace ─► Timeline ─► │ the recent events of a key     │
//	                     └────────────────────────────────┘
//
// The input is informers of any type, such as those of a factory. The handler
// answers GET requests and changes nothing.
//
// # Minimal use
//
//	http.Handle("/debug/informers/", debug.New(debug.Options{Informers: factory.Informers}))
//
// With the recent events of each object:
//
//	timeline := debug.NewTimeline(debug.TimelineOptions{})
//	pods := informer.New(view, informer.Options[*Pod]{Trace: timeline.Trace()})
//	page := debug.New(debug.Options{
//		Informers: func() []informer.AnyInformer { return []informer.AnyInformer{pods} },
//		Timeline:  timeline,
//	})
//
// # Query parameters
//
// The query string selects the content. The handler works under any path.
//
//	(none)                      all informers and their states
//	?informer=ID                one informer, and the first keys of its store, sorted
//	  &prefix=P                 only keys with this prefix
//	  &search=S                 only keys that contain S
//	  &limit=N                  at most N keys: default 100, maximum 1000
//	  &continue=K               the keys after K, the continue value of the previous answer
//	  &objects=true             with the objects
//	?informer=ID&key=K          one object and its timeline; it may have been deleted
//	  &format=html|json|text    overrides the Accept header; the default for curl is text
//	?file=page.css|page.js      the style sheet and the script of the HTML page
//
// An ID is the name of an informer, followed by #2, #3 ... if several informers have
// the same name.
//
// # The HTML page
//
// The page shows first whether the informers, and the components of Options.Sections,
// are healthy, waiting or failing, and for each problem what to do. The hints are those
// of the health endpoints of package controller.
//
//	healthy   the informer runs and has synced, its source does not fail, and no handler
//	          is behind
//	waiting   the informer does not run, reads its first list, recovers from a failure,
//	          or has a handler that has been behind for ten seconds
//	failing   the last request to the source, or for one of several namespaces, failed,
//	          objects of the list are missing, or the informer has stopped
//
// A form searches the keys of an informer. The page works without scripts. With its
// script, it updates itself while it is visible, and a button pauses that: the script
// requests the page every two seconds, and gets the status 304 without content if
// nothing has changed. If a response takes longer than 100 ms, the next request comes
// later. Pages with objects are not updated.
//
// # The JSON
//
// Names and meanings are stable; fields may be added. Times are RFC 3339, and zero
// times are omitted. Fields marked with ? are omitted if they are empty.
//
//	now                     the time of the answer
//	sections?               a list of Options.Sections
//	  title, state?
//	informers               a list, for all informers
//	informer                one of these, for a store or a key
//	  id, name              see above
//	  resource?             such as deployments.apps
//	  running, synced
//	  version, epoch        those of the store; of namespaces, the lowest and the sum
//	  objects, queued       the numbers of stored objects and of queued changes
//	  bodies?, bodyBytes?   the number and bytes of the bodies that are kept
//	  source                the state of the reflector; of namespaces, that of the worst
//	    name?               its name, for an informer of several namespaces
//	    phase, mode         its activity, and how it received the initial state
//	    modeReason?         why it did not stream the initial state
//	    version, epoch      those of the reflector
//	    lastEvent?, lastBookmark?
//	    relists, relistReason?
//	    undecodable         the number of objects that could not be decoded
//	    listUndecodable?    the number of objects of the last list that are missing
//	    listError?          why the first of them is missing
//	    error?, since?      the last failure, and the time of the first failure in a row
//	    failures, retryAt?  the number of failures, and the time of the next attempt
//	  handlers              a list
//	    name, synced
//	    pending             the number of waiting notifications
//	    merged, panics
//	    since?              when the running callback began
//	  namespaceCount?       the number of namespaces of an informer of several
//	  namespaces?           at most 100 of them, for a store, first those that fail
//	    namespace, synced
//	    version, epoch      up to which the store has the changes of the namespace
//	    source              as above
//	keys                    a page of the keys of a store
//	objects?                a list of the objects with these keys
//	continue?               there are more keys: pass this value to get them
//	key                     the key of an object
//	object?, hidden?        the object, or why it is not shown
//	stored                  whether the object is in the store
//	events?                 the timeline, oldest event first
//	  version
//	  steps                 a list, in order of time
//	    at, stage, event
//	    handler?
//	  droppedSteps?         the number of steps that were dropped
//	error                   the error in the request; the only field then
//
// # Guarantees
//
//   - Without Options.Objects, the page shows only keys of objects, and with a
//     Timeline their versions. Debug pages are usually served next to metrics and
//     profiles, where permissions are not checked.
//   - With Objects, the page shows no data of a Secret, whatever its Go type is. A
//     Secret, and each item of a SecretList, is shown with apiVersion, kind, type,
//     immutable, and metadata without annotations only. If neither the source nor the
//     object identifies the kind, the object may be a Secret, and data, stringData
//     and annotations are removed. The same applies to nested objects that have the
//     fields of a Secret and no kind. The last-applied annotation of kubectl is
//     removed from all objects.
//   - A response has at most a few megabytes plus one object, however large the store
//     is. JSON that is so deeply nested that indentation would be most of its size is
//     not indented.
//   - Slow clients use little memory: a page with objects is written while it is
//     generated, one object at a time. Objects above 64 KiB that all responses hold
//     at a time are limited to 16 MiB; further ones are not shown. On a server
//     without a WriteTimeout, a response ends after one minute if it has not been
//     read.
//   - Requests over loopback are answered only if their Host is localhost, an IP
//     address or in Options.Hosts; see [CheckHost].
//   - Informers are not affected: the handler takes none of their locks, and modifies
//     no object.
//   - An open page has no cost between its requests: the handler starts no goroutine,
//     remembers no client, and keeps no request open, so that Shutdown of the server
//     does not wait for pages. A request for an unchanged page reads neither keys nor
//     objects.
//   - Data is escaped: names and objects cannot add markup or terminal control
//     characters to a page. The Content-Security-Policy of the HTML page allows only
//     the script and the style sheet of its own server.
//   - The memory of a Timeline is bounded. An informer without a Trace has no cost.
//
// # Rules
//
//   - The handler does not authenticate. Serve it where only authorized users have
//     access; keys contain names.
//   - Secrets are recognized by the JSON names of their fields. If a Transform moves
//     secret data to other fields, or other objects contain secret data, remove it
//     with Options.Redact.
//   - Errors are shown unchanged. An error of a custom UnmarshalJSON may quote its
//     input.
//   - A page of a large store reads all its keys: about 100 ms for a million. The
//     objects of a page are read one after another; the store may change meanwhile.
//   - Informers with the same name share their timelines. Give them different names.
//
// client-go has no such page. It is similar to the debugger of kube-scheduler, which
// dumps its cache to the log on a signal, and to the metrics of its workqueue.
package debug
