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
)

// servePath answers what is not a resource: discovery, health, the version.
func (c *call) servePath() error {
	path := strings.TrimPrefix(c.r.URL.Path, "/")
	root, rest, _ := strings.Cut(path, "/")
	// These paths are taken as they are, the others without slashes at the end.
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
		return c.release()
	case root == "version":
		return notFound()
	case path == "":
		return c.raw(map[string][]string{"paths": c.paths()})
	}
	return errNotServed
}

// onlyRead is what is asked about a document that has a route of its own: that
// it is read, in a form that there is.
func (c *call) onlyRead(produced []string) error {
	if c.r.Method != http.MethodGet {
		return notAllowed()
	}
	return routeAccept(c.r.Header.Get("Accept"), produced)
}

// release is the one whose answers are the measure.
func (c *call) release() error {
	if err := c.onlyRead(producedVersion); err != nil {
		return err
	}
	return c.raw(version.Info{
		Major: "1", Minor: "36", EmulationMajor: "1", EmulationMinor: "36", MinCompatibilityMajor: "1", MinCompatibilityMinor: "35",
		GitVersion: "v1.36.3", GitCommit: "", GitTreeState: "clean", BuildDate: "1970-01-01T00:00:00Z",
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
}

// checks are what health consists of: they are for those who look at the form.
var checks = []string{"ping", "log", "etcd"}

// health is good for as long as anybody answers.
func (c *call) health(root, check string) error {
	text := "ok"
	switch {
	case check != "" && !strings.Contains(" "+strings.Join(checks, " ")+" ", " "+check+" "):
		return errNotServed
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
	_, _ = c.w.Write([]byte(text)) // fails only when the client has gone
	return nil
}

// raw writes a document that is not an object of the API.
func (c *call) raw(document any) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", mimeJSON)
	_, _ = c.w.Write(text) // fails only when the client has gone
	return nil
}

// paths are those of the index.
func (c *call) paths() []string {
	all := []string{"/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}
	for _, group := range c.server.registry.catalog() {
		if group.name != "" {
			all = append(all, "/apis/"+group.name)
		}
		for _, v := range group.versions {
			all = append(all, "/"+apiPath(v.GroupVersion))
		}
	}
	return all
}

func apiPath(of schema.GroupVersion) string {
	if of.Group == "" {
		return "api/" + of.Version
	}
	return "apis/" + of.String()
}

// discovery tells what is served.
func (c *call) discovery(root, rest string) error {
	all := c.server.registry.catalog()
	group, version := "", rest
	if root == "apis" {
		group, version, _ = strings.Cut(rest, "/")
	}
	if rest == "" {
		return c.discoverAll(all, root == "api")
	}
	known := all.group(group)
	if known == nil && root == "apis" {
		return errNotServed
	}
	var document any
	if version == "" {
		of := known.apiGroup()
		of.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		document = of
	} else {
		list, err := c.discoverVersion(known, root == "api" || c.server.registry.compiled(group), version)
		if err != nil {
			return err
		}
		document = list
	}
	f, found := formatFor(c.r, schema.GroupVersionKind.Empty)
	if !found {
		return notAcceptable(c.r.Header.Get("Accept"), false)
	}
	return c.document(f, document)
}

// discoverVersion is the resources of a version. Those of groups that are
// compiled into a kube-apiserver have routes.
func (c *call) discoverVersion(of *catalogGroup, compiled bool, name string) (*metav1.APIResourceList, error) {
	var found *catalogVersion
	if of != nil {
		found = of.version(name)
	}
	switch {
	case found == nil && compiled:
		return nil, notFound()
	case found == nil:
		return nil, errNotServed
	case compiled:
		if err := c.onlyRead(produced); err != nil {
			return nil, err
		}
	}
	return found.resourceList(), nil
}

// discoverAll answers at the roots, in one of two forms.
func (c *call) discoverAll(all catalog, core bool) error {
	aggregated := schema.GroupVersionKind{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"}
	f, found := formatFor(c.r, func(to schema.GroupVersionKind) bool { return to.Empty() || to == aggregated })
	if found && f.as == aggregated {
		return c.discoverAggregated(f, all.aggregated(core))
	}
	if core {
		if err := c.onlyRead(produced); err != nil {
			return err
		}
	}
	switch {
	case !found:
		return notAcceptable(c.r.Header.Get("Accept"), false)
	case core:
		return c.document(f, &metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
			ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: c.r.Host}},
		})
	}
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	for i := range all {
		if all[i].name != "" {
			list.Groups = append(list.Groups, all[i].apiGroup())
		}
	}
	return c.document(f, list)
}

// discoverAggregated answers with a tag by which a client can ask whether
// anything has changed.
func (c *call) discoverAggregated(f *format, document *groupsDiscovery) error {
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
	text, err = f.encoded(text)
	if err != nil {
		return err
	}
	out := newOutput(c.w, c.r, http.StatusOK, fmt.Sprintf("%s;g=%s;v=%s;as=%s", f.mediaType(), f.as.Group, f.as.Version, f.as.Kind))
	_, _ = out.Write(text) // fails only when the client has gone
	_ = out.Close()
	return nil
}

// document writes an object of the API that is not stored.
func (c *call) document(f *format, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return f.send(c.w, c.r, http.StatusOK, text)
}
