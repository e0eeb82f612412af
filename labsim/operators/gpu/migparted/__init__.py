"""mig-parted: named MIG layouts for a node, and how they are checked and applied. Pure: the caller stores the result.

`config` reads the file, `layouts` writes the generated and the stock one, `check` compares, `geometry` changes one GPU,
`apply` plans a whole run as steps, `export` writes down what is there.
"""
