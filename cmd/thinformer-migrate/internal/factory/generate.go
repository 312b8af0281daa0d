package factory

import (
	"fmt"
	"go/format"
	"go/token"
)

// Command is the name of the command in the first line of the file.
const Command = "thinformer-factory"

// Generate returns the text of a file of the named package for the generated factory with
// the import path. Dir is a folder of the module that requires the factory, whose
// requirements select the versions; empty is the current folder. The file must not be in
// the folder of the generated factory, whose names it declares.
func Generate(dir, importPath, name string) (text []byte, err error) {
	if !token.IsIdentifier(name) {
		return nil, fmt.Errorf("write the factory for %s: %q is not the name of a package", importPath, name)
	}
	loaded, err := load(dir, importPath)
	if err != nil {
		return nil, err
	}
	read, err := readFactory(loaded)
	if err != nil {
		return nil, fmt.Errorf("%s is not a factory that can be wrapped: %w", importPath, err)
	}
	source := print(read, name)
	text, err = format.Source(source)
	if err != nil {
		return nil, fmt.Errorf("format the factory for %s: %w", importPath, err)
	}
	if err := check(loaded, text); err != nil {
		return nil, fmt.Errorf("the factory for %s does not build: %w", importPath, err)
	}
	return text, nil
}
