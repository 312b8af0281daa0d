package apitest

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// servePath serves paths other than resources: discovery, health, the version.
func (c *call) servePath() error {
	path := strings.TrimPrefix(c.r.URL.Path, "/")
	root, rest, _ := strings.Cut(path, "/")
	// These paths must match exactly. The others may have trailing slashes.
	exact := !strings.HasSuffix(path, "/")
	rest = strings.TrimRight(rest, "/")
	switch {
	case exact && (root == "healthz" || root == "livez" || root == "readyz"):
		return c.health(root, rest)
	case exact && root == "openapi":
		return c.openAPI(rest)
	case root == "api", root == "apis" && !strings.HasPrefix(path, "apis//"):
		return c.discovery(root, rest)
	case root == "version" && rest == "":
		return c.serveVersion()
	case root == "version":
		return registry.NotFound()
	case path == "":
		return c.raw(map[string][]string{"paths": c.paths()})
	}
	return registry.ErrNotServed
}

// checkRead checks that a document with its own route is read, in an available
// format.
func (c *call) checkRead(produced []string) error {
	if c.r.Method != http.MethodGet {
		return registry.NotAllowed()
	}
	return response.CheckAccept(c.r.Header.Get("Accept"), produced)
}

// serveVersion responds with the version of the reference kube-apiserver.
func (c *call) serveVersion() error {
	if err := c.checkRead(response.ProducedVersion); err != nil {
		return err
	}
	return c.raw(version.Info{
		Major: registry.KubernetesMajor, Minor: registry.KubernetesMinor,
		EmulationMajor: registry.KubernetesMajor, EmulationMinor: registry.KubernetesMinor,
		MinCompatibilityMajor: registry.KubernetesMajor, MinCompatibilityMinor: registry.PreviousKubernetesMinor,
		GitVersion: registry.KubernetesVersion, GitCommit: "", GitTreeState: "clean", BuildDate: "1970-01-01T00:00:00Z",
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
}

// checks are the names of the health checks.
var checks = []string{"ping", "log", "etcd"}

// health always succeeds.
func (c *call) health(root, check string) error {
	text := "ok"
	switch {
	case check != "" && !strings.Contains(" "+strings.Join(checks, " ")+" ", " "+check+" "):
		return registry.ErrNotServed
	case check == "" && c.query.Has("verbose"):
		text = ""
		for _, name := range checks {
			text += "[+]" + name + " ok\n"
		}
		text += root + " check passed\n"
	}
	c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if check == "" {
		c.w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	_, _ = c.w.Write([]byte(text)) // fails only when the client has disconnected
	return nil
}

// raw writes a document that is not an API object.
func (c *call) raw(document any) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", response.MediaTypeJSON)
	_, _ = c.w.Write(text) // fails only when the client has disconnected
	return nil
}

// paths returns the paths of the index.
func (c *call) paths() []string {
	all := []string{"/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}
	for _, group := range c.server.registry.Catalog() {
		if group.Name != "" {
			all = append(all, "/apis/"+group.Name)
		}
		for _, v := range group.Versions {
			all = append(all, "/"+registry.APIPath(v.GroupVersion))
		}
	}
	return all
}

// discovery serves /api and /apis.
func (c *call) discovery(root, rest string) error {
	all := c.server.registry.Catalog()
	group, version := "", rest
	if root == "apis" {
		group, version, _ = strings.Cut(rest, "/")
	}
	if rest == "" {
		return c.discoverAll(all, root == "api")
	}
	known := all.Group(group)
	if known == nil && root == "apis" {
		return registry.ErrNotServed
	}
	var document any
	if version == "" {
		of := known.APIGroup()
		of.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		document = of
	} else {
		list, err := c.discoverVersion(known, root == "api" || c.server.registry.Compiled(group), version)
		if err != nil {
			return err
		}
		document = list
	}
	f, found := response.FormatFor(c.r, schema.GroupVersionKind.Empty)
	if !found {
		return response.NotAcceptableError(c.r.Header.Get("Accept"), false)
	}
	return c.document(f, document)
}

// discoverVersion returns the resources of a version. Groups that are compiled
// into a kube-apiserver have their own routes.
func (c *call) discoverVersion(group *registry.CatalogGroup, compiled bool, name string) (*metav1.APIResourceList, error) {
	var found *registry.CatalogVersion
	if group != nil {
		found = group.Version(name)
	}
	switch {
	case found == nil && compiled:
		return nil, registry.NotFound()
	case found == nil:
		return nil, registry.ErrNotServed
	case compiled:
		if err := c.checkRead(response.Produced); err != nil {
			return nil, err
		}
	}
	return found.ResourceList(), nil
}

// discoverAll serves the roots, in one of two forms.
func (c *call) discoverAll(all registry.Catalog, core bool) error {
	aggregated := schema.GroupVersionKind{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"}
	f, found := response.FormatFor(c.r, func(to schema.GroupVersionKind) bool { return to.Empty() || to == aggregated })
	if found && f.Target == aggregated {
		return c.discoverAggregated(f, all.Aggregated(core))
	}
	if core {
		if err := c.checkRead(response.Produced); err != nil {
			return err
		}
	}
	switch {
	case !found:
		return response.NotAcceptableError(c.r.Header.Get("Accept"), false)
	case core:
		return c.document(f, &metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
			ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: c.r.Host}},
		})
	}
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	for i := range all {
		if all[i].Name != "" {
			list.Groups = append(list.Groups, all[i].APIGroup())
		}
	}
	return c.document(f, list)
}

// discoverAggregated responds with an ETag, by which a client can ask whether
// anything has changed.
func (c *call) discoverAggregated(f *response.Format, document *registry.GroupsDiscovery) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	tag := fmt.Sprintf(`"%X"`, sha512.Sum512(text))
	header := c.w.Header()
	header.Add("Vary", "Accept")
	header.Set("ETag", tag)
	header.Set("Cache-Control", "public")
	if c.r.Header.Get("If-None-Match") == tag {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	text, err = f.Encoded(text)
	if err != nil {
		return err
	}
	out := response.NewOutput(c.w, c.r, http.StatusOK, fmt.Sprintf("%s;g=%s;v=%s;as=%s", f.MediaType(), f.Target.Group, f.Target.Version, f.Target.Kind))
	_, _ = out.Write(text) // fails only when the client has disconnected
	_ = out.Close()
	return nil
}

// document writes an API object that is not stored.
func (c *call) document(f *response.Format, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return f.Send(c.w, c.r, http.StatusOK, text)
}
