// Package discovery reads the API groups, versions and resources of a server, and
// maps kinds and resource names to resources.
//
//	/api, /apis ──► groups ──┐
//	   (or all resources)    ├──► Client: one discovery for each call
//	/apis/GROUP/VERSION ─────┘
//	                                 │ cached, refreshed on a miss
//	                                 ▼
//	"deploy"          ──►  Mapper  ──►  Resource{apps/v1 deployments, Deployment, namespaced}
//	apps, Deployment  ──►
//
// # Basic use
//
//	mapper := discovery.NewMapper(discovery.NewClient(client))
//	found, err := mapper.ForResource(ctx, "deploy")
//	if err != nil {
//		return err
//	}
//	view := rest.NewView[*appsv1.Deployment](client, found.ResourceInfo)
//
// A program that knows its [rest.ResourceInfo] in advance needs no discovery.
//
// # Guarantees
//
//   - A server with aggregated discovery receives two requests, for /api and for
//     /apis. Any other server receives one request more for each group version,
//     at most eight at a time. The results are the same.
//   - Partial failures do not hide the other results: the results are returned
//     together with a [PartialError] that holds the error of each failed group
//     version. A version that the server reports as stale counts as failed,
//     with [ErrStale].
//   - A [Mapper] discovers once for all callers and caches the result until
//     Invalidate. A name that is not in the cache causes one refresh, at most
//     every three seconds for all such names together; lookups of known names
//     never wait. A Mapper is safe for concurrent use. A caller stops waiting when
//     its context ends, without affecting the others.
//   - An unexpected response (HTML, another kind, another group version, more
//     than 16 MiB) is an error, never an empty list.
//
// # Resource names
//
// ForResource accepts the same names as kubectl: a plural or a singular in any
// case, or a short name in its exact case; alone, as name.group, where a prefix of
// the group is enough, or as name.version.group. A name that matches none of these
// is compared with kinds, for which the group must be complete. Plurals and
// singulars take precedence over short names, and these over kinds. If several
// groups match, the first in the server's order wins, with the core group first:
// "events" is the resource of the core group. If several versions match, the
// preferred version of the group wins, or else the first that has the resource.
// Subresources are not looked up; a [Resource] lists its own.
//
// The counterparts in client-go are discovery.DiscoveryClient and, for the Mapper,
// restmapper.DeferredDiscoveryRESTMapper with its shortcut expander. The shortcut
// expander ignores the version in deploy.v1beta1.apps; a Mapper does not. Package
// rest accepts the ResourceInfo of a Resource.
package discovery
