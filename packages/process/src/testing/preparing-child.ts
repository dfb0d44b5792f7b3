import { prepareFolder } from '../data-folder.ts'

// A process that checks the data folder it is given over and over.
for (let checks = 0; checks < 500; checks++) prepareFolder(process.argv[2]!, 'DATA_DIR')
