package main

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
)

var subdomain = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)

// render writes the upstreams of all services. The result does not depend on the order
// of the parts: equal backends give equal files.
func render(namespace string, parts iter.Seq[part]) []byte {
	services := map[string]*collection{}
	for p := range parts {
		name := p.service()
		if name == "" {
			continue
		}
		s := services[name]
		if s == nil {
			s = new(collection)
			services[name] = s
		}
		good, wrong := p.backends()
		s.good, s.wrong = append(s.good, good...), append(s.wrong, wrong...)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# The endpoints of namespace %s, by thinformer's examples/endpoints.\n", namespace)
	for _, name := range slices.Sorted(maps.Keys(services)) {
		if !subdomain.MatchString(name) {
			fmt.Fprintf(&out, "\n# left out: %q is not a service name\n", name)
			continue
		}
		renderService(&out, namespace+"_"+name, name, services[name])
	}
	return out.Bytes()
}

// renderService writes an upstream for each port. Its name has underscores between the
// parts, which the parts cannot contain, so names are unique.
func renderService(out *bytes.Buffer, upstream, name string, s *collection) {
	good, wrong := s.sorted()
	for _, message := range wrong { // quoted, so that the text cannot end the comment
		fmt.Fprintf(out, "\n# left out of %s: %s\n", name, message)
	}
	if len(good) == 0 {
		// nginx rejects a configuration that has an upstream without servers.
		fmt.Fprintf(out, "\n# %s has no endpoints\n", name)
	}
	for i, b := range good {
		if i == 0 || b.port != good[i-1].port {
			if i > 0 {
				out.WriteString("}\n")
			}
			full := upstream
			if b.port != "" {
				full += "_" + b.port
			}
			fmt.Fprintf(out, "\nupstream %s {\n", full)
		}
		down := ""
		if b.down {
			down = " down"
		}
		fmt.Fprintf(out, "    server %s%s;\n", b.server, down)
	}
	if len(good) > 0 {
		out.WriteString("}\n")
	}
}
