// Package discovery asks a server what it serves: groups, versions, resources;
// and finds the resource that somebody means by a kind or by a word.
//
//	/api, /apis ──► groups ──┐
//	      (or all in one)    ├──► Client: what the server says, asked each time
//	/apis/GROUP/VERSION ─────┘
//	                                 │ kept, asked again on a miss
//	                                 ▼
//	"deploy"          ──►  Mapper  ──►  Resource{apps/v1 deployments, Deployment, namespaced}
//	apps, Deployment  ──►
//
// # The shortest use
//
//	mapper := discovery.NewMapper(discovery.New(client))
//	found, err := mapper.ForResource(ctx, "deploy")
//	if err != nil {
//		return err
//	}
//	view := rest.NewView[*appsv1.Deployment](client, found.ResourceInfo)
//
// Whoever knows what a [rest.ResourceInfo] has to say can write it by hand and
// needs no discovery.
//
// # What is promised
//
//   - A server that has aggregated discovery is asked twice (for /api and for
//     /apis); of one that has not, each group version is asked for by itself,
//     a few at a time. The results are the same.
//   - What failed does not hide the rest: with the results comes a
//     [PartialError] that names each group version and its error. Versions
//     that the server calls stale are among them, as [ErrStale].
//   - A [Mapper] asks once for all callers and keeps the answer, until
//     Invalidate. A name that is not in it makes it ask once more, at most
//     every three seconds however many names miss; names that are known never
//     wait. It is for any number of goroutines; each leaves when its own
//     context ends, and takes nobody along.
//   - An answer that is not what was asked for (HTML, another kind, another
//     group version, larger than 16 MiB) is an error, never an empty list.
//
// # What a word means
//
// ForResource takes what kubectl takes: a plural, a singular (in any case), a
// short name (in its own case); alone, or as name.group (a beginning of the group
// will do), or name.version.group. What is none of these may be a kind, with its
// whole group. Full names win over short names. Of several groups
// that have the name the first in the server's order is meant, core before all:
// "events" is core's. Of several versions it is the group's preferred one, or
// else the first that has it. Subresources are not resources; a [Resource] lists
// its own.
//
// client-go calls these things discovery.DiscoveryClient and, together,
// restmapper's DeferredDiscoveryRESTMapper and its shortcut expander, which drops
// the version of deploy.v1beta1.apps; here it is meant. The next room is package
// rest, which takes the ResourceInfo.
package discovery
